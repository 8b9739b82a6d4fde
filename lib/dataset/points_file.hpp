#pragma once

#include <filesystem>
#include <vector>

#include "lib/core/types.hpp"

namespace fovea {

/// Reads the face of a .pts file: its points, the box around them and, of 68 points, the eyes. \throws Error
/// naming file and line.
Face read_points_file(const std::filesystem::path& path);

/// The smallest upright box that holds all points. \param points at least one.
Box box_around(const std::vector<Point>& points);

}  // namespace fovea
