#pragma once

#include "lib/report/detection/page.hpp"
#include "lib/report/page/markdown.hpp"

namespace fovea::report {

/// The numbers of detectors as Markdown, without a title.
MarkdownPage detection_markdown(const PageContent& content);

}  // namespace fovea::report
