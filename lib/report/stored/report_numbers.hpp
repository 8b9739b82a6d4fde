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

/// A number of a report.json that can be compared with another report's.
struct ReportNumber {
    /// Its path, joined by '.'; the detection rate at N false positives is "detection.rate_at_N_fp".
    std::string key;
    double value = 0;
    std::optional<Interval> ci95;
    std::optional<Quantity> quantity{};  ///< as the report states it; nothing where it does not
};

/// The numbers of a report of any kind, in its order. Numbers in lists (curves, histograms, slices), in
/// the configuration, the manifest and the protocol are left out, but detection rates at false positives
/// are there.
std::vector<ReportNumber> report_numbers(const Json& report);

/// An evaluation's section of report.json, and the list of all where there are several.
struct ReportSection {
    const char* name;
    const char* rivals;
};
inline constexpr std::array report_sections{ReportSection{"detection", "detectors"},
                                            ReportSection{"landmarks", "landmarkers"},
                                            ReportSection{"tracks", "trackers"},
                                            ReportSection{"verification", "recognisers"},
                                            ReportSection{"identification", "recognisers"},
                                            ReportSection{"clustering", "recognisers"}};

/// The names of what a report evaluates, each once, in its order; empty names are left out.
std::vector<std::string> rivals_of(const Json& report);

/// The sections of one rival: {"detection": ..., "landmarks": ...}.
Json report_of_rival(const Json& report, const std::string& name);

/// A metric and its rival: "wild.ap" is the AP of "wild", "ap" the AP of the first rival.
struct RivalMetric {
    /// Empty = the first.
    std::string rival;
    std::string metric;
};

/// Splits "NAME.METRIC" at the longest of the names with which the text begins: names may hold dots and
/// blanks, and may stand in quotes ("..." or '...'). A text that begins with no name is a metric of the
/// first rival.
RivalMetric split_metric(const std::string& text, const std::vector<std::string>& names);

/// N of "recall@Nfp", "rate@Nfp", "detection_rate@Nfp" or "rate_at_N_fp" (blanks and letter case are free);
/// absent for other names.
std::optional<int> false_positives_of(const std::string& metric);

/// Does false_positives_of() for a metric that may name a detector: 16 for "wild.recall@16fp".
std::optional<int> false_positives_named(const std::string& metric);

/// Makes sure that the detection rates of the report's first detector include the ones at `points`: missing
/// ones are read from the report's curve. \param report as read_report_file() checks it.
/// \throws UsageError if the curve was thinned and cannot tell a rate.
void add_rates_at(Json& report, std::span<const int> points);

/// The key that a metric's name means: a key itself, its end ("f1", "eer", "outer_eye_corners.mean"), or a
/// short name: "ap", "recall", "rate", "best_f1", "recall@16fp", "tar@far=0.001", "nme", "rank1",
/// "rank-1". Letter case and blanks do not matter, nor do '_' and '-' if no key has the name as written
/// ("AP50" for "ap_50"). "ap" and "average_precision" mean the protocol's own average precision if it has
/// one. Among several keys with that end, a direct member of an evaluation's section is preferred.
/// \param what begins the message: "--require: the report has". \param headlines the keys that the
/// message proposes.
/// \param rivals names that might have been meant before a dot. \throws UsageError if no key or several fit,
/// with the nearest name and the headline numbers, or the candidates.
std::string resolve_metric(const std::string& metric, const std::vector<std::string>& keys,
                           const std::string& what, const std::vector<std::string>& headlines = {},
                           const std::vector<std::string>& rivals = {});

/// The short names of metrics, for a shell to offer, with an example for each that holds a number.
std::vector<std::string> short_metrics();

/// Warns if a key names a number that counts every detection, however low its score: F1, precision, recall or
/// detection rate. \param flag that named it, for the message: "--require".
void warn_of_every_detection(const std::string& flag, const std::string& key);

/// True for a number of a protocol that has numbers of its own (FDDB, WIDER FACE, VOC, COCO, S_eyes).
bool is_protocol_number(const std::string& key);

}  // namespace fovea
