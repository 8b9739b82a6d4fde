#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/landmark/landmark_model.hpp"

namespace fovea {

/// Reads a landmark model; the kind is recognised by its first bytes: a shape_predictor of dlib
/// (parse_dlib_model) or a file of the program's own (parse_quantised_model).
/// \throws UsageError if the file is not there; Error if it is broken: file, offset, what was expected.
LandmarkModel read_landmark_model(const std::filesystem::path& file);

/// The model that is used where "default" is named: Debian's 68-point model of dlib.
inline constexpr const char* default_landmark_model = "shape_predictor_68_face_landmarks";

/// Finds a landmark model, as find_by_name does, with or without extension (.fvlm, .dat), among those that
/// ship with the program (the folder landmarks in one of model_folders()) or with Debian's libdlib-data.
/// \throws UsageError naming the places that were searched.
std::filesystem::path find_landmark_model(const std::string& model);

/// The names of the landmark models that ship with the program, sorted, and "default".
std::vector<std::string> known_landmark_models();

/// \throws Error: "NAME is not a landmark model that can be read: at offset N WHAT; fetch or train the file
/// again."
[[noreturn]] void fail_to_read_landmarks(std::string_view name, std::size_t offset, const std::string& what);

/// A shape_predictor as dlib 19 writes it (version 1): any number of points, cascades, trees and pixels;
/// trees that are less deep than others get splits that lead to copies of their leaves.
///
/// The values of pixels are whole numbers, so that thresholds are rounded down without changing any decision.
/// No memory is allocated for more than the bytes that are there can hold.
/// \param name of the file, for messages. \throws Error: what was found at which offset, and what was
/// expected.
LandmarkModel parse_dlib_model(std::string_view bytes, std::string_view name);

}  // namespace fovea
