#pragma once

#include <string>

#include "lib/report/landmark_page.hpp"

namespace fovea::report {

/// report.md of landmarkers, see markdown.hpp: faces found and missed, then the numbers under every normaliser, in
/// pixels and by region, each with its interval. Needs neither pictures nor galleries.
std::string landmark_markdown(const LandmarkPage& page);

}  // namespace fovea::report
