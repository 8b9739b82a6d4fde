#include "lib/files/find_model.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <system_error>

#include <spdlog/spdlog.h>

#include "lib/core/error.hpp"
#include "lib/core/nearest_name.hpp"
#include "lib/files/folder.hpp"

namespace fovea {
namespace {

namespace fs = std::filesystem;

constexpr std::array opencv_folders{"/usr/share/opencv4/haarcascades", "/usr/share/opencv4/lbpcascades",
                                    "/usr/local/share/opencv4/haarcascades",
                                    "/usr/local/share/opencv4/lbpcascades"};

/// Folders of models that were added, for all threads.
struct AddedFolders {
    std::mutex mutex;
    std::vector<fs::path> folders;
};

AddedFolders& added_folders() {
    static AddedFolders added;
    return added;
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

void add_model_folder(const fs::path& folder) {
    AddedFolders& added = added_folders();
    const std::lock_guard lock(added.mutex);
    added.folders.push_back(folder);
}

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
    {
        AddedFolders& added = added_folders();
        const std::lock_guard lock(added.mutex);
        for (const fs::path& folder : added.folders) add(folder);
    }
    std::error_code failed;
    const fs::path beside = fs::read_symlink("/proc/self/exe", failed).parent_path();
    if (!failed) {
        add(beside / "models");
        // PREFIX/bin/fovea, and the package for Python.
        for (const fs::path& installed :
             {beside / "share/fovea/models", beside.parent_path() / "share/fovea/models",
              beside.parent_path() / "models"}) {
            if (!is_folder(installed)) continue;
            add(installed);
            return folders;
        }
        // build/fovea, build/release/fovea
        for (const fs::path& tree : {beside, beside.parent_path(), beside.parent_path().parent_path()})
            add(tree / "configs/models");
    }
    add(FOVEA_BUILT_MODELS);
    return folders;
}

std::optional<fs::path> find_installed(const std::vector<ModelPlace>& places, const std::string& name) {
    for (const ModelPlace& place : places) {
        for (const char* packed : {"", ".gz", ".bz2"}) {
            if (const fs::path file = place.folder / (name + packed); is_file(file)) return file;
            for (const std::string& extension : place.extensions) {
                if (const fs::path file = place.folder / (name + extension + packed); is_file(file))
                    return file;
            }
        }
    }
    return std::nullopt;
}

std::vector<std::string> model_names(const std::vector<ModelPlace>& places) {
    std::set<std::string> names;
    for (const ModelPlace& place : places) {
        std::error_code ignored;
        for (fs::directory_iterator entry(place.folder, ignored), end; entry != end;
             entry.increment(ignored)) {
            const std::string extension = entry->path().extension().string();
            if (std::find(place.extensions.begin(), place.extensions.end(), extension) !=
                place.extensions.end())
                names.insert(entry->path().stem().string());
        }
    }
    return {names.begin(), names.end()};
}

fs::path find_by_name(const std::vector<ModelPlace>& places, const std::string& name, const std::string& kind,
                      const std::string& suggestion, const std::string& hint) {
    if (fs::path(name).has_parent_path()) {
        if (is_file(name)) return name;
        throw UsageError("there is no " + kind + " '" + name + "'; check the path");
    }
    if (const auto installed = find_installed(places, name)) {
        std::error_code ignored;
        if (is_file(name) && !fs::equivalent(name, *installed, ignored)) {
            spdlog::warn("the {} '{}' is {}, not the file of the current folder, which is './{}'", kind, name,
                         installed->string(), name);
        }
        return *installed;
    }
    const bool is_here = is_file(name);
    if (is_here && fs::path(name).has_extension()) return name;
    std::string searched;
    for (const ModelPlace& place : places) {
        // Only those of the many places that are there say something.
        if (is_folder(place.folder)) searched += ", " + place.folder.string();
    }
    throw UsageError("there is no " + kind + " '" + name + "'" + suggestion +
                     ": searched the current folder" + searched + hint +
                     (is_here ? "; the file of the current folder is './" + name + "'" : ""));
}

fs::path find_model(const std::string& model) {
    if (model.empty())
        throw UsageError("no model was given; name one, e.g. wild or haarcascade_frontalface_alt2.xml");
    std::vector<ModelPlace> places;
    for (const fs::path& folder : model_folders()) places.push_back({folder, {".json", ".onnx"}});
    for (const char* folder : opencv_folders) places.push_back({folder, {".xml"}});
    return find_by_name(places, model, "model", suggestion(model),
                        " (FOVEA_MODELS can name the folder of the program's own models; Debian's package "
                        "opencv-data brings the cascades)");
}

std::vector<std::string> shipped_models() {
    std::vector<ModelPlace> places;
    for (const fs::path& folder : model_folders()) places.push_back({folder, {".json"}});
    return model_names(places);
}

std::vector<std::string> known_models() {
    std::vector<ModelPlace> places;
    for (const char* folder : opencv_folders) places.push_back({folder, {".xml"}});
    std::vector<std::string> names = shipped_models();
    for (const std::string& cascade : model_names(places)) {
        if (std::find(names.begin(), names.end(), cascade) == names.end()) names.push_back(cascade);
    }
    return names;
}

}  // namespace fovea
