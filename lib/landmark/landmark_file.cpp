#include "lib/landmark/landmark_file.hpp"

#include "lib/core/error.hpp"
#include "lib/files/find_model.hpp"
#include "lib/files/model_file.hpp"
#include "lib/landmark/quantised_model.hpp"

namespace fovea {

namespace {

std::vector<ModelPlace> shipped_places() {
    std::vector<ModelPlace> places;
    for (const std::filesystem::path& folder : model_folders())
        places.push_back({folder / "landmarks", {".fvlm", ".dat"}});
    return places;
}

}  // namespace

std::vector<std::string> known_landmark_models() {
    std::vector<std::string> names = model_names(shipped_places());
    names.emplace_back("default");
    return names;
}

std::filesystem::path find_landmark_model(const std::string& model) {
    std::vector<ModelPlace> places = shipped_places();
    for (const char* folder : {"/usr/share/dlib", "/usr/local/share/dlib"})
        places.push_back({folder, {".fvlm", ".dat"}});
    return find_by_name(
        places, model == "default" ? default_landmark_model : model, "landmark model", "",
        std::string(" (Debian's package libdlib-data brings ") + default_landmark_model + ")");
}

void fail_to_read_landmarks(std::string_view name, std::size_t offset, const std::string& what) {
    throw Error(std::string(name) + " is not a landmark model that can be read: at offset " +
                std::to_string(offset) + " " + what + "; fetch or train the file again.");
}

LandmarkModel read_landmark_model(const std::filesystem::path& file) {
    const std::string bytes = read_model_file(file, "landmark model");
    if (is_quantised_model(bytes)) return parse_quantised_model(bytes, file.string()).model;
    return parse_dlib_model(bytes, file.string());
}

}  // namespace fovea
