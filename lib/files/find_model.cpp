#include "lib/files/find_model.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <initializer_list>
#include <optional>
#include <string>
#include <system_error>

#include "lib/core/error.hpp"
#include "lib/core/nearest_name.hpp"
#include "lib/files/folder.hpp"

namespace fovea {
namespace {

namespace fs = std::filesystem;

constexpr std::array opencv_folders{"/usr/share/opencv4/haarcascades", "/usr/share/opencv4/lbpcascades",
                                    "/usr/local/share/opencv4/haarcascades",
                                    "/usr/local/share/opencv4/lbpcascades"};

std::optional<fs::path> find_in(const fs::path& folder, const std::string& name,
                                std::initializer_list<const char*> extensions) {
    if (is_file(folder / name)) return folder / name;
    for (const char* extension : extensions) {
        if (is_file(folder / (name + extension))) return folder / (name + extension);
    }
    return std::nullopt;
}

/// The names of a folder's files of that extension, without it; none where there is no such folder.
void add_stems(const fs::path& folder, const char* extension, std::vector<std::string>& names) {
    std::error_code ignored;
    for (fs::directory_iterator entry(folder, ignored), end; entry != end; entry.increment(ignored)) {
        if (entry->path().extension() == extension) names.push_back(entry->path().stem().string());
    }
}

// The names that contain what was typed, if it is the beginning of one or no name is near; else the nearest.
std::string suggestion(const std::string& model) {
    const std::vector<std::string> known = known_models();
    const bool is_beginning = std::any_of(known.begin(), known.end(), [&](const std::string& name) {
        return model.size() >= 4 && name.starts_with(model);
    });
    if (std::string nearest = did_you_mean(model, known); !is_beginning && !nearest.empty()) return nearest;
    constexpr std::size_t max_names = 6;
    std::size_t count = 0;
    std::string names;
    for (const std::string& name : known) {
        if (name.find(model) == std::string::npos || ++count > max_names) continue;
        names += (names.empty() ? "" : ", ") + name;
    }
    if (count > max_names) names += " and " + std::to_string(count - max_names) + " more";
    return names.empty() ? names : " (names that contain it: " + names + ")";
}

}  // namespace

std::vector<fs::path> model_folders() {
    std::vector<fs::path> folders;
    const auto add = [&](const fs::path& folder) {
        if (std::find(folders.begin(), folders.end(), folder) == folders.end()) folders.push_back(folder);
    };
    const char* variable = std::getenv("FOVEA_MODELS");
    const std::string listed = variable == nullptr ? "" : variable;
    for (std::size_t at = 0; at < listed.size();) {
        const std::size_t end = std::min(listed.find(':', at), listed.size());
        if (end > at) add(listed.substr(at, end - at));
        at = end + 1;
    }
    std::error_code failed;
    fs::path folder = fs::read_symlink("/proc/self/exe", failed).parent_path();
    constexpr int levels = 3;  // build/fovea, PREFIX/bin/fovea, build/release/fovea
    for (int level = 0; level < levels && !failed && folder.has_relative_path(); ++level) {
        for (const char* name : {"models", "configs/models", "share/fovea/models"}) {
            add(folder / name);
        }
        folder = folder.parent_path();
    }
    add(FOVEA_BUILT_MODELS);
    return folders;
}

fs::path find_model(const std::string& model) {
    if (model.empty()) {
        throw UsageError(
            "no model was given; name a cascade file, e.g. mct or haarcascade_frontalface_alt2.xml");
    }
    // A name with a folder in it is a path; nothing else is searched for it.
    const bool bare_name = !fs::path(model).has_parent_path();
    if (is_file(model)) return model;
    if (!bare_name) throw UsageError("there is no model '" + model + "'; check the path");
    std::string searched;
    for (const fs::path& folder : model_folders()) {
        if (const auto found = find_in(folder, model, {".json", ".onnx"})) return *found;
        // Only those of the many places that are there say something.
        if (is_folder(folder)) searched += folder.string() + ", ";
    }
    for (const char* folder : opencv_folders) {
        if (const auto found = find_in(folder, model, {".xml"})) return *found;
        searched += std::string(folder) + ", ";
    }
    searched.resize(searched.size() - 2);
    throw UsageError("there is no model '" + model + "'" + suggestion(model) +
                     ": searched the current folder, " + searched +
                     " (FOVEA_MODELS can name the folder of the program's own models; Debian's package "
                     "opencv-data brings the cascades)");
}

std::vector<std::string> shipped_models() {
    std::vector<std::string> names;
    for (const fs::path& folder : model_folders()) add_stems(folder, ".json", names);
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
}

std::vector<std::string> known_models() {
    std::vector<std::string> cascades;
    for (const char* folder : opencv_folders) add_stems(folder, ".xml", cascades);
    std::sort(cascades.begin(), cascades.end());
    std::vector<std::string> names = shipped_models();
    for (const std::string& cascade : cascades) {
        if (std::find(names.begin(), names.end(), cascade) == names.end()) names.push_back(cascade);
    }
    return names;
}

}  // namespace fovea
