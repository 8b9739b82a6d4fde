#pragma once

namespace fovea::report {

/// The page's style sheet and its only script (sorting tables by their headers); the page works without the
/// latter.
extern const char* const style_sheet;
extern const char* const sort_script;

}  // namespace fovea::report
