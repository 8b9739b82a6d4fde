#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "kernels/landmark/landmark_model.hpp"
#include "lib/json/json.hpp"

namespace fovea {

/// A landmark model of the program's own, as `fovea train landmarks` makes it.
struct TrainedLandmarks {
    std::string name;     ///< of the model, for people
    LandmarkModel model;  ///< all cascades quantised
    /// How it was made: "data" (counts and SHA-256), "settings", "boxes" (errors that it was trained with),
    /// "levels" (NME after each cascade); null in a model that is still being trained.
    Json training = Json::object();
};

// The file (extension .fvlm; all numbers little-endian, floats IEEE 754, without padding):
//
// - at 0, 8 bytes: "FVLM\r\n\x1a\n"
// - at 8, uint32: version, 1, or 2 if the box is fitted anew
// - at 12, uint32: bytes of the JSON
// - at 16, uint64: bytes of the file
// - at 24, JSON in UTF-8: {"name", "points", "depth", "subpixels", "cascades", "training"}, in version 2 also
//   "refit_after" (LandmarkModel::refit_after)
// - 2 · points × float32: initial shape, x0 y0 x1 y1 ...
// - each cascade:
//   - uint32: pixels
//   - uint32: trees
//   - float32: leaf_unit, which one step of a leaf adds to the shape
//   - pixels × (uint16 anchor, float32 dx, float32 dy)
//   - trees × (2^depth - 1) × (uint16 first, uint16 second, int16 threshold)
//   - trees × 2^depth × 2 · points × int8: leaves
// - 64 bytes: SHA-256 of all bytes before, hexadecimal
//
// kernels/landmark/landmark_model.hpp explains the parts. A tree of depth 4 for 68 points takes 2,266 bytes.

/// True if the bytes begin as a file of this format.
bool is_quantised_model(std::string_view bytes);

/// The bytes of such a file. \throws std::invalid_argument as check_landmark_model, and if a cascade is
/// not quantised.
std::string quantised_model_bytes(const TrainedLandmarks& landmarks);

/// Reads the bytes of such a file. Memory is allocated for no more than the given bytes can hold.
/// \param name of the file, for messages. \throws Error: what was found at which offset, and what
/// was expected.
TrainedLandmarks parse_quantised_model(std::string_view bytes, std::string_view name);

/// Writes the file as a whole or not at all. \throws Error as replace_file; std::invalid_argument.
void write_quantised_model(const TrainedLandmarks& landmarks, const std::filesystem::path& file);

/// Reads such a file. \throws UsageError if it is not there; Error as parse_quantised_model.
TrainedLandmarks read_quantised_model(const std::filesystem::path& file);

}  // namespace fovea
