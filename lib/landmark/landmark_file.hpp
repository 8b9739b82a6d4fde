#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/landmark/landmark_model.hpp"

namespace fovea {

/// Reads a landmark model. Its first bytes tell the kind: a shape_predictor of dlib (parse_dlib_model) or a
/// file of the program's own (parse_quantised_model).
/// \throws UsageError if the file is not there; Error if it is broken: file, offset, what was expected.
LandmarkModel read_landmark_model(const std::filesystem::path& file);

/// The model that the name "default" stands for: Debian's 68-point model of dlib.
inline constexpr const char* default_landmark_model = "shape_predictor_68_face_landmarks";

/// Finds a landmark model as find_by_name() does, with or without extension (.fvlm, .dat), among the models
/// of the program (the folder landmarks in one of model_folders()) and of Debian's libdlib-data.
/// \throws UsageError naming the places that were searched.
std::filesystem::path find_landmark_model(const std::string& model);

/// The names of the landmark models that ship with the program, sorted, and "default".
std::vector<std::string> known_landmark_models();

/// Fails with one sentence for all kinds of models. \throws Error: "NAME is not a landmark model that can be
/// read: at offset N WHAT; fetch or train the file again."
[[noreturn]] void fail_to_read_landmarks(std::string_view name, std::size_t offset, const std::string& what);

/// Reads a shape_predictor as dlib 19 writes it (version 1), with any number of points, cascades, trees and
/// pixels. Trees that are less deep than others get splits that lead to copies of their leaves.
///
/// Pixels have whole values, so thresholds are rounded down without changing any decision. Memory is
/// allocated for no more than the given bytes can hold.
/// \param name of the file, for messages. \throws Error: what was found at which offset, and what
/// was expected.
LandmarkModel parse_dlib_model(std::string_view bytes, std::string_view name);

}  // namespace fovea
