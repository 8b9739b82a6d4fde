#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "lib/core/job_hooks.hpp"
#include "lib/evaluate/compare/trend.hpp"

namespace fovea {

struct TrendRequest {
    /// Reports (report.json or its folder) in the order in which they were made; a folder without a
    /// report.json stands for the folders in it, in the natural order of their names.
    std::vector<std::string> folders;
    /// Names of numbers as gates take them (split_metric, resolve_metric); empty = the headline numbers.
    std::vector<std::string> metrics{};
    /// The folder of the page, which is no run; may be empty.
    std::filesystem::path out{};
    /// Resamples of paired comparisons.
    int resamples = 1000;
    std::uint64_t seed = 1;
    CountProgress progress{};
};

/// Reads the runs, and compares neighbours. A report that cannot be read, or whose task differs from the
/// newest report's (incomparable()), is left out. Detectors are told apart by their names; if every report
/// has only one, all are taken for the same detector. \throws UsageError if no report can be read, no folder
/// holds one, or the newest report lacks a metric.
Trend read_trend(const TrendRequest& request);

}  // namespace fovea
