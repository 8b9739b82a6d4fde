#include "lib/dataset/specification.hpp"

#include <algorithm>

#include "lib/core/error.hpp"
#include "lib/dataset/image_files.hpp"
#include "lib/dataset/text_file.hpp"
#include "lib/files/file.hpp"
#include "lib/files/folder.hpp"
#include "lib/json/names.hpp"

namespace fovea {
namespace fs = std::filesystem;
namespace {

std::string_view key_of(std::string_view option) {
    return option.substr(0, option.find('='));
}

// A path, or an option with one: "images=DIR".
bool names_what_is_there(const std::string& part) {
    if (is_there(part)) return true;
    const std::size_t equals = part.find('=');
    return equals != std::string::npos && is_there(part.substr(equals + 1));
}

}  // namespace

std::vector<std::string> split_paths(const std::string& text) {
    if (is_there(text)) return {text};
    const std::vector<std::string> pieces = split_list(text, ',');
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        parts.push_back(pieces[i]);
        std::string joined = pieces[i];
        for (std::size_t k = i; k < pieces.size(); ++k) {
            if (k > i) joined += "," + pieces[k];
            if (!names_what_is_there(joined)) continue;
            parts.back() = joined;
            i = k;
            break;
        }
    }
    return parts;
}

DatasetSpecification::DatasetSpecification(std::string_view format, const std::string& text,
                                           std::vector<std::string_view> grammar)
    : text_(std::string(format) + ":" + text), grammar_(std::move(grammar)) {
    if (is_there(text)) {
        paths_.emplace_back(text);
        return;
    }
    for (const std::string& part : split_paths(text)) {
        if (part.empty()) fail("has an empty name between its commas.");
        const std::size_t equals = part.find('=');
        const bool is_option = equals != std::string::npos &&
                               std::any_of(grammar_.begin() + 1, grammar_.end(), [&](std::string_view known) {
                                   return key_of(known) == key_of(part);
                               });
        if (is_option) {
            options_.emplace_back(part.substr(0, equals), part.substr(equals + 1));
        } else if (is_there(part)) {
            paths_.emplace_back(part);
        } else if (equals != std::string::npos) {
            const std::string options = in_words({grammar_.begin() + 1, grammar_.end()}, "and");
            throw UsageError("'" + part + "' in '" + text_ + "' is neither a file nor an option; " +
                             (options.empty() ? "there are no options." : "options are " + options + "."));
        } else {
            throw UsageError("There is no file or folder '" + part + "'; write " + usage() + ".");
        }
    }
    if (paths_.empty()) fail("names no path; write " + usage() + ".");
}

const fs::path& DatasetSpecification::only_path() const {
    if (paths_.size() > 1) fail("names several paths; one is read.");
    return paths_.front();
}

fs::path DatasetSpecification::folder() const {
    return is_folder(paths_.front()) ? paths_.front() : folder_of(paths_.front());
}

std::string DatasetSpecification::option(std::string_view key) const {
    const std::string* value = nullptr;
    for (const auto& [name, given] : options_) {
        if (name != key) continue;
        if (value != nullptr) fail("gives " + name + "= twice.");
        if (given.empty()) fail("has nothing behind " + name + "=.");
        value = &given;
    }
    return value == nullptr ? std::string() : *value;
}

std::vector<fs::path> DatasetSpecification::option_paths(std::string_view key) const {
    std::vector<fs::path> found;
    for (const auto& [name, given] : options_) {
        if (name != key) continue;
        const fs::path path = given;
        if (is_there(path) || path.is_absolute()) {
            found.push_back(path);
        } else if (!given.empty() && is_there(folder() / path)) {
            found.push_back(folder() / path);
        } else {
            throw UsageError("There is no '" + given + "', neither in the current folder nor in '" +
                             folder().string() + "'.");
        }
    }
    return found;
}

fs::path DatasetSpecification::option_path(std::string_view key) const {
    return option(key).empty() ? fs::path() : option_paths(key).front();
}

void DatasetSpecification::fail(const std::string& what) const {
    throw UsageError("'" + text_ + "' " + what);
}

std::string DatasetSpecification::usage() const {
    std::string usage = text_.substr(0, text_.find(':') + 1) + std::string(grammar_.front());
    for (std::size_t i = 1; i < grammar_.size(); ++i) usage += "[," + std::string(grammar_[i]) + "]";
    return usage;
}

std::vector<fs::path> files_of_paths(const std::vector<fs::path>& paths,
                                     const std::function<std::vector<fs::path>(const fs::path&)>& files_in) {
    std::vector<fs::path> files;
    for (const fs::path& path : paths) {
        const std::vector<fs::path> found = is_folder(path) ? files_in(path) : std::vector{path};
        files.insert(files.end(), found.begin(), found.end());
    }
    return files;
}

fs::path image_root(const DatasetSpecification& specification, const DatasetOptions& options,
                    const fs::path& otherwise) {
    const fs::path images = specification.option_path("images");
    return !images.empty() ? images : !options.root.empty() ? options.root : otherwise;
}

fs::path first_folder(const std::vector<fs::path>& candidates, const fs::path& otherwise) {
    const auto found = std::find_if(candidates.begin(), candidates.end(), is_folder);
    return found == candidates.end() ? otherwise : found->lexically_normal();
}

}  // namespace fovea
