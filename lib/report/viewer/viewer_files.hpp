#pragma once

#include <string_view>
#include <vector>

namespace fovea::report {

// The files of the viewer as this program holds them.

/// The page with places for style, data and scripts.
std::string_view viewer_page();
std::string_view viewer_style();
/// In the order in which they run: the chart library first.
std::vector<std::string_view> viewer_scripts();

}  // namespace fovea::report
