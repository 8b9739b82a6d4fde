#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "lib/evaluate/compare/comparison.hpp"
#include "lib/json/json_fwd.hpp"
#include "lib/numbers/number.hpp"

namespace fovea {

/// A number of one run.
struct TrendPoint {
    /// Its place in Trend::runs.
    std::size_t run = 0;
    double value = 0;
    std::optional<Interval> ci95{};
    /// The comparison with the last run before that has the number, with the p-value of mark_changes();
    /// absent for the first run, and where the two could not be compared.
    std::optional<ComparedNumber> step{};
    bool is_change = false;
};

/// A number of one detector or recogniser over the runs.
struct TrendLine {
    /// Its name; may be empty.
    std::string rival;
    /// Its key is the key in report.json: "detection.average_precision".
    Quantity quantity;
    std::vector<TrendPoint> points{};
};

/// A run that is left out, and why: the end of a sentence.
struct RunLeftOut {
    std::string run;
    std::string reason;
    bool is_unreadable = false;
};

/// Reports of the same evaluation, made one after the other.
struct Trend {
    /// Names of their folders, the oldest first.
    std::vector<std::string> runs;
    /// Their reports.
    std::vector<std::string> sources;
    std::vector<TrendLine> lines;
    std::vector<RunLeftOut> left_out{};
    std::vector<std::string> warnings{};
};

/// The rule of mark_changes(), in sentences.
extern const char* const change_rule;

/// Marks a line's changes: steps that are significant at 5 % for all of the line together. The p-value of a
/// step follows from z = difference / standard error; the interval of the difference is 2 x 1.96 standard
/// errors wide. A step without an interval whose difference is not 0 is not tested. The p-values are
/// corrected by S. Holm, "A simple sequentially rejective multiple test procedure", 1979: of m values in
/// rising order, the i-th (from 0), and all before it, must be at most 0.05 / (m - i), each at its place.
void mark_changes(TrendLine& line);

/// The change in a word: "better", "worse", or "changed" where neither value is better; empty for no change.
std::string change_word(const TrendPoint& point);

/// trend.json: {"format": "fovea-trend", "version", "rule", "runs": [{"name", "report"}], "lines": [{"name",
/// "key", "better", "points": [{"run", "value", "ci95", "difference", "difference_ci95", "paired", "p_value",
/// "change"}]}], "left_out": [{"run", "reason"}], "warnings"}.
Json trend_to_json(const Trend& trend);

/// trend.csv, a row a point: run,name,key,value,ci95_low,ci95_high,difference,p_value,change.
std::string trend_csv(const Trend& trend);

}  // namespace fovea
