#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "kernels/haar_lbp/cascade.hpp"

namespace fovea {

/// Reads a cascade as OpenCV 4.6 does: Haar and LBP cascades of opencv_traincascade
/// ("opencv-cascade-classifier") and Haar cascades in the older format of
/// opencv_haartraining ("opencv-haar-classifier").
///
/// Every count, index and rectangle is checked, so that a scan of the result reads inside its window only.
/// \throws Error naming the file, the place in it (stage, tree, node or feature) and what was expected.
Cascade read_cascade(const std::filesystem::path& path);

/// Reads a cascade from memory as read_cascade() does; `name` stands for the file in messages.
Cascade parse_cascade(std::span<const char> xml, const std::string& name);

}  // namespace fovea
