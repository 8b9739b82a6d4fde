#pragma once

#include <filesystem>
#include <string>

#include "kernels/face_net/face_net.hpp"
#include "lib/detect/face_net_cells.hpp"
#include "lib/json/json.hpp"

namespace fovea {

/// Everything a file of a face network holds.
struct FaceNetModel {
    std::string name;
    FaceNet net;
    FaceNetScore score;
    /// How the model came about: data with counts and SHA-256, settings. Kept as it is.
    Json training;
};

/// True if a file begins as the JSON of a face network; whether it can be read shows when it is read.
bool is_face_net_model(const std::filesystem::path& file);

/// Reads a model: JSON, "format": "fovea-face-net", "version": 1.
///
/// - "name": a text. "stem_channels", "quarter_channels", "channels": as FaceNet has them.
/// - "stem": a layer. "backbone": 9 units. "neck": 3 units. "heads": 3 arrays of 2 units. All in
///   FaceNet's order.
/// - "sums": 2 objects {"fine_scale", "coarse_scale"}.
/// - "score": {"slope", "offset"}, FaceNetScore; absent: 1 and 0.
/// - "training": any object; may be absent.
/// - A unit is {"pointwise", "depthwise"}, two layers. A layer is {"weights", "bias", "scale"}, three
///   arrays in FaceNetLayer's order: integers from -128 to 127, integers up to 2^24 in magnitude, and numbers
///   from 2^-60 to 64, which become the nearest float.
///
/// \throws Error if the file is broken: file, the key's path or line, what was expected.
FaceNetModel read_face_net_model(const std::filesystem::path& file);

/// Writes a model, each layer on a line of its own, scales with all digits that a float has. The file is
/// replaced as a whole or not at all. \throws Error if the network has a fault (find_fault) or the file
/// cannot be written.
void write_face_net_model(const FaceNetModel& model, const std::filesystem::path& file);

}  // namespace fovea
