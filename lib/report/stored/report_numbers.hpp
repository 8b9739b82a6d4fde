#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lib/core/types.hpp"
#include "lib/json/json_fwd.hpp"
#include "lib/numbers/number.hpp"

namespace fovea {

/// A number of a report.json that another report may be compared in.
struct ReportNumber {
    /// its path, joined by '.'; the detection rate at N false positives is "detection.rate_at_N_fp"
    std::string key;
    double value = 0;
    std::optional<Interval> ci95;
    std::optional<Quantity> quantity{};  ///< as the report states it; nothing where it does not
};

/// The numbers of a report of any kind, in its order: without those in lists (curves, histograms, slices; the
/// detection rates at false positives are there), in the configuration, the manifest and the protocol.
std::vector<ReportNumber> report_numbers(const Json& report);

/// An evaluation's section of report.json, and the list of all where there are several.
struct ReportSection {
    const char* name;
    const char* rivals;
};
inline constexpr std::array report_sections{
    ReportSection{"detection", "detectors"}, ReportSection{"landmarks", "landmarkers"},
    ReportSection{"tracks", "trackers"}, ReportSection{"verification", "recognisers"},
    ReportSection{"identification", "recognisers"}};

/// The names of what a report evaluates, each once, in its order; without those that are empty.
std::vector<std::string> rivals_of(const Json& report);

/// The sections of one of them: {"detection": ..., "landmarks": ...}.
Json report_of_rival(const Json& report, const std::string& name);

/// A metric, and whose: "wild.ap" is the AP of "wild", "ap" that of the first.
struct RivalMetric {
    /// Empty = the first.
    std::string rival;
    std::string metric;
};

/// Takes the longest of the names that the text begins with, a dot behind it: names may hold dots and blanks,
/// and may stand in quotes ("..." or '...'). A text that begins with none of them is a metric of the first.
RivalMetric split_metric(const std::string& text, const std::vector<std::string>& names);

/// N of "recall@Nfp", "rate@Nfp", "detection_rate@Nfp" or "rate_at_N_fp" (blanks and letter case are free);
/// absent for other names.
std::optional<int> false_positives_of(const std::string& metric);

/// The same of a metric that may name a detector: 16 of "wild.recall@16fp".
std::optional<int> false_positives_named(const std::string& metric);

/// Makes sure that the report's first detection rates hold those at `points`: those that were not asked for
/// are read from the report's curve. \param report as read_report_file() checks it.
/// \throws UsageError if the curve was thinned, so that it does not tell.
void add_rates_at(Json& report, std::span<const int> points);

/// The key that a metric's name means: a key itself, its end ("f1", "eer", "outer_eye_corners.mean"), or a
/// short name: "ap", "recall", "rate", "best_f1", "recall@16fp", "tar@far=0.001", "nme", "rank1", "rank-1".
/// Letter case and blanks are free, and '_' and '-' where no key has the name as it is written ("AP50" for
/// "ap_50"). Under a protocol that has an average precision of its own, "ap" and "average_precision" are that
/// one. Among several keys with that end, one of detection, landmarks, verification or identification itself
/// is preferred. \throws UsageError if no key or several fit, with the nearest name and the headline numbers,
/// or the candidates. `what` begins the sentence: "--require: the report has". `headlines` are those of the
/// keys that it proposes, and `rivals` the names that might have been meant before a dot.
std::string resolve_metric(const std::string& metric, const std::vector<std::string>& keys,
                           const std::string& what, const std::vector<std::string>& headlines = {},
                           const std::vector<std::string>& rivals = {});

/// The short names of metrics, for a shell to offer; of those that hold a number, an example.
std::vector<std::string> short_metrics();

/// Warns of a number of a detector that counts every detection kept, however low its score: F1, precision,
/// recall and detection rate. \param flag that names it, for the message: "--require".
void warn_of_every_detection(const std::string& flag, const std::string& key);

/// True for a number of a protocol that has numbers of its own (FDDB, WIDER FACE, VOC, COCO, S_eyes).
bool is_protocol_number(const std::string& key);

}  // namespace fovea
