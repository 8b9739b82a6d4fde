#pragma once

#include <string>

namespace fovea {

/// When, where and by which command a report was made; stands in its page. Empty parts are left out.
struct ReportOrigin {
    std::string time;  ///< "2026-05-17 14:03:59 UTC"
    std::string host;
    std::string command;
};

/// This process, now.
ReportOrigin report_origin_now();

/// Another report of the same work, to which a page links.
struct RelatedReport {
    std::string title;
    std::string address;  ///< relative to the page's folder: "identification/report.html"
};

}  // namespace fovea
