#pragma once

namespace fovea::report {

/// The page's style sheet and its only script (sorting tables by their headers, and unfolding what is folded
/// for print in browsers whose style sheets cannot); the page works without the latter.
extern const char* const style_sheet;
extern const char* const page_script;

}  // namespace fovea::report
