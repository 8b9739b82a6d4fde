#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "lib/evaluate/compare/trend.hpp"
#include "lib/files/input_files.hpp"
#include "lib/json/json_fwd.hpp"
#include "lib/report/model/table.hpp"

namespace fovea {

/// A table of the changes, and one for each detector with a row for each run: of the newest `most_runs` runs.
std::vector<report::Table> trend_tables(const Trend& trend, std::size_t most_runs);

/// "40 runs: 3 changes between neighbours in 5 numbers."
std::string trend_sentence(const Trend& trend);

/// Writes trend.json, trend.csv, trend.md, trend.html and trend_*.svg and .pdf into `folder` (made
/// if it is not there), together at the end. \param title empty = made from the runs' names.
/// \param work members of trend.json that say what it is about. \return the path of trend.html.
/// \throws as write_comparison_report().
std::filesystem::path write_trend_report(const OutputFolder& folder, const Trend& trend,
                                         const std::string& title, const Json& work);

}  // namespace fovea
