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

/// The place of a face's landmarks in the boxes of one detector or dataset, as fitted to faces with
/// known landmarks.
///
/// Detectors box faces differently, and a landmark model is accurate only in boxes like those it was trained
/// with (a shift of 5 % cost dlib's users accuracy). A convention describes the detector: the edges of the
/// upright box around the 68 points of the mean face, placed in the detector's box. The model's initial shape
/// tells the rest, so that any detector goes with any model of 68 points.
struct BoxConvention {
    /// Name of the detector's model file without extension, or "landmarks" for tight boxes of points.
    std::string name;
    BoxTransform landmarks;  ///< edges of the mean face's tight box in the detector's box
    /// Standard deviation of each edge over the faces: left, top, right, bottom; in sides of the
    /// detector's box.
    std::array<double, 4> spread{};
    std::size_t faces = 0;  ///< number of faces that it was fitted to
    std::string dataset{};  ///< their dataset in words; empty if unknown
};

/// The edges of the model's box in the boxes of a convention: the places of (0, 0) and (1, 1) of the initial
/// shape at which the shape's tight box is convention.landmarks. \throws std::invalid_argument if the shape
/// has no extent.
BoxTransform model_edges(const BoxConvention& convention, const LandmarkModel& model);

/// Reads the conventions of a file: JSON, "format": "fovea-box-conventions", "version": 1.
/// \throws UsageError if it is not there; Error if it is broken: file, key, what was expected.
std::vector<BoxConvention> read_conventions(const std::filesystem::path& file);

/// The contents of a file that read_conventions() reads.
Json conventions_to_json(std::vector<BoxConvention> conventions);

/// A convention as such a file has it.
void describe(FieldVisitor& visitor, BoxConvention& convention);

/// The convention of this name that ships with the program (landmarks/boxes.json in one of model_folders());
/// nothing if there is none. \throws Error as read_conventions.
std::optional<BoxConvention> find_convention(const std::string& name);

/// The names that users can give for a convention: "auto", "none" and the conventions shipped with
/// the program.
/// \throws Error as read_conventions.
std::vector<std::string> known_conventions();

/// The tight box of the model's initial shape, in units of the model's box.
Box tight_box_of_initial_shape(const LandmarkModel& model);

}  // namespace fovea
