#include "lib/landmark/landmark_file.hpp"

#include "lib/core/error.hpp"
#include "lib/files/file.hpp"
#include "lib/files/find_model.hpp"
#include "lib/files/folder.hpp"
#include "lib/landmark/quantised_model.hpp"

namespace fovea {

std::filesystem::path find_landmark_model(const std::string& model) {
    namespace fs = std::filesystem;
    const std::string wanted = model == "default" ? default_landmark_model : model;
    if (is_file(wanted)) return wanted;
    if (fs::path(wanted).has_parent_path()) {
        throw UsageError("there is no landmark model '" + wanted + "'; check the path");
    }
    std::vector<fs::path> folders;
    for (const fs::path& folder : model_folders()) folders.push_back(folder / "landmarks");
    for (const char* folder : {"/usr/share/dlib", "/usr/local/share/dlib"}) folders.emplace_back(folder);
    std::string searched;
    for (const fs::path& folder : folders) {
        for (const char* extension : {"", ".fvlm", ".dat"}) {
            if (const fs::path file = folder / (wanted + extension); is_file(file)) {
                return file;
            }
        }
        if (is_folder(folder)) searched += ", " + folder.string();
    }
    throw UsageError("there is no landmark model '" + wanted + "': searched the current folder" + searched +
                     " (Debian's package libdlib-data brings " + default_landmark_model + ")");
}

void fail_to_read_landmarks(std::string_view name, std::size_t offset, const std::string& what) {
    throw Error(std::string(name) + " is not a landmark model that can be read: at offset " +
                std::to_string(offset) + " " + what + "; fetch or train the file again.");
}

LandmarkModel read_landmark_model(const std::filesystem::path& file) {
    const std::string bytes = read_file(file, "landmark model");
    if (is_quantised_model(bytes)) return parse_quantised_model(bytes, file.string()).model;
    return parse_dlib_model(bytes, file.string());
}

}  // namespace fovea
