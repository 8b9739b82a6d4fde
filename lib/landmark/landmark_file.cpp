#include "lib/landmark/landmark_file.hpp"

#include "lib/core/file.hpp"

namespace fovea {

LandmarkModel read_landmark_model(const std::filesystem::path& file) {
    return parse_dlib_model(read_file(file, "landmark model"), file.string());
}

}  // namespace fovea
