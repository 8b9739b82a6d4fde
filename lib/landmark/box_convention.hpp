#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "kernels/landmark/face_box.hpp"
#include "kernels/landmark/landmark_model.hpp"
#include "lib/core/types.hpp"
#include "lib/json/json_fwd.hpp"

namespace fovea {

class FieldVisitor;

/// The place of a face's landmarks in the boxes of one detector or dataset, as fitted to faces with known
/// landmarks.
///
/// Detectors disagree on what a face's box is, and a landmark model finds little in another box than those it
/// was trained with (5 % of shift cost dlib's users accuracy). A convention takes the detector's half of
/// that: the edges of the upright box around the 68 points of the mean face, placed in the detector's box.
/// The model's half follows from its initial shape, so that any detector goes with any model of 68 points.
struct BoxConvention {
    /// of the detector's model file without extension, or "landmarks" for tight boxes of points
    std::string name;
    BoxTransform landmarks;  ///< of the mean face's tight box in the detector's box
    /// standard deviation of each edge over the faces: left, top, right, bottom
    std::array<double, 4> spread{};
    std::size_t faces = 0;  ///< that it was fitted to
    std::string dataset{};  ///< that they are from, in words; empty if unknown
};

/// The edges of the model's box in the boxes of a convention: where (0, 0) and (1, 1) of its initial shape
/// must lie for the shape's tight box to be convention.landmarks. \throws std::invalid_argument if the shape
/// has no extent.
BoxTransform model_edges(const BoxConvention& convention, const LandmarkModel& model);

/// Conventions of a file: JSON, "format": "fovea-box-conventions", "version": 1.
/// \throws UsageError if it is not there; Error if it is broken: file, key, what was expected.
std::vector<BoxConvention> read_conventions(const std::filesystem::path& file);

/// The contents of such a file.
Json conventions_to_json(std::vector<BoxConvention> conventions);

/// A convention as such a file has it.
void describe(FieldVisitor& visitor, BoxConvention& convention);

/// The convention of that name among those that ship with the program (landmarks/boxes.json in one of
/// model_folders()).
/// \throws Error as read_conventions.
std::optional<BoxConvention> find_convention(const std::string& name);

/// The names that can be given for a convention: "auto", "none", and those that ship with the program.
/// \throws Error as read_conventions.
std::vector<std::string> known_conventions();

/// The tight box of the model's initial shape, in units of the model's box.
Box tight_box_of_initial_shape(const LandmarkModel& model);

}  // namespace fovea
