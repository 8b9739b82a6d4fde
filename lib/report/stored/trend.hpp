#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "lib/evaluate/compare/trend.hpp"

namespace fovea {

struct TrendRequest {
    /// Reports (report.json or its folder) in the order in which they were made; a folder without a
    /// report.json stands for the folders in it, in the natural order of their names.
    std::vector<std::string> folders;
    /// Names of numbers as gates take them (split_metric, resolve_metric); empty = the headline numbers.
    std::vector<std::string> metrics{};
    /// A folder that is no run, where the page will be; may be empty.
    std::filesystem::path out{};
    /// Resamples of paired comparisons.
    int resamples = 1000;
    std::uint64_t seed = 1;
    std::function<void(std::size_t done, std::size_t all)> progress{};
};

/// Reads the runs, and compares neighbours. A report that cannot be read is left out, and so is one that is
/// not of the task of the newest (incomparable()). Detectors are told apart by their names; where every
/// report has one alone, that is the same one. \throws UsageError if no report can be read, no folder holds
/// one, or a metric is none of the newest report's.
Trend read_trend(const TrendRequest& request);

}  // namespace fovea
