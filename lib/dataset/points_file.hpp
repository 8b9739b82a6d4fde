#pragma once

#include <filesystem>
#include <vector>

#include "lib/core/types.hpp"

namespace fovea {

/// The face of one .pts file: its points, their box, the eyes of 68 points. \throws Error naming file and
/// line.
Face read_points_file(const std::filesystem::path& path);

/// The smallest upright box that holds points, at least one.
Box box_around(const std::vector<Point>& points);

}  // namespace fovea
