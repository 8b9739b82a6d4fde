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

// The page of `fovea label`, whose style and first script are the viewer's, too.
std::string_view label_skeleton();
std::string_view label_style();
std::vector<std::string_view> label_scripts();

// The same parts of the page of `fovea browse`.
std::string_view browse_skeleton();
std::string_view browse_style();
std::vector<std::string_view> browse_scripts();

}  // namespace fovea::report
