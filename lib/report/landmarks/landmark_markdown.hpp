#pragma once

#include "lib/report/landmarks/landmark_page.hpp"
#include "lib/report/page/markdown.hpp"

namespace fovea::report {

/// report.md of landmarkers without a title, see markdown.hpp: faces found and missed, then the numbers under
/// every normaliser, in pixels and by region, each with its interval. Needs neither pictures nor
/// exhibits_of_each.
MarkdownPage landmark_markdown(const LandmarkPage& page);

}  // namespace fovea::report
