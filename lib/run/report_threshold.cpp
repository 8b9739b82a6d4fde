#include "lib/run/report_threshold.hpp"

#include <charconv>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include <spdlog/fmt/fmt.h>
#include <spdlog/spdlog.h>

#include "lib/core/error.hpp"
#include "lib/core/nearest_name.hpp"
#include "lib/core/text.hpp"
#include "lib/files/folder.hpp"
#include "lib/json/json_member.hpp"

namespace fovea {
namespace {

// "dev/report.json:16fp" -> {"dev/report.json", "16fp"}. A file's name may hold a colon.
std::pair<std::string, std::string> split_point(const std::string& text) {
    const std::size_t colon = text.rfind(':');
    if (colon == std::string::npos || is_there(text)) return {text, ""};
    return {text.substr(0, colon), text.substr(colon + 1)};
}

// A kind of evaluation in a report: "detection" of a "detector", of several in "detectors".
struct Kind {
    const char* key;
    const char* list;
    const char* noun;
};

// The evaluation of that name, or the only one.
const Json& evaluation_of(const Json& report, const Kind& kind, const std::string& file,
                          const std::string& name) {
    std::vector<std::string> names;
    std::vector<const Json*> evaluations;
    for (const Json& entry : member_of(report, kind.list)) {
        if (!entry.contains(kind.key)) continue;
        names.push_back(entry["name"].get<std::string>());
        evaluations.push_back(&entry[kind.key]);
    }
    if (evaluations.empty() && report.contains(kind.key)) {
        names.push_back(report[kind.key].value("name", ""));
        evaluations.push_back(&report[kind.key]);
    }
    if (evaluations.empty()) {
        throw UsageError(fmt::format("--threshold-from: {} is no report of a {}", file, kind.key));
    }
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (names[i] == name) return *evaluations[i];
    }
    if (evaluations.size() > 1) {
        throw UsageError(
            fmt::format("--threshold-from: {} has no {} '{}'{}, and scores of different {} have different "
                        "scales; it has {}: "
                        "say with --name which one was evaluated",
                        file, kind.noun, name, did_you_mean(name, names), kind.list, fmt::join(names, ", ")));
    }
    if (!names[0].empty()) {
        spdlog::warn(
            "--threshold-from: the threshold of '{}' in {} is applied to '{}', as if both were one {}",
            names[0], file, name, kind.noun);
    }
    return *evaluations[0];
}

// "16fp" -> 16, "best_f1" -> -1
int point_of(const std::string& point) {
    if (point.empty() || point == "best_f1") return -1;
    int count = 0;
    const char* const end = point.data() + point.size();
    const auto [stop, error] = std::from_chars(point.data(), end, count);
    if (error != std::errc{} || count < 0 ||
        std::string_view(stop, static_cast<std::size_t>(end - stop)) != "fp") {
        throw UsageError("--threshold-from: '" + point +
                         "' is no operating point; write REPORT.json:best_f1 or, for "
                         "the threshold with at most 16 false positives, REPORT.json:16fp");
    }
    return count;
}

std::optional<double> threshold_at(const Json& detection, int false_positives, const std::string& file) {
    for (const Json& rate : member_of(detection, "rate_at_false_positives")) {
        if (rate["false_positives"] != false_positives) continue;
        return rate.contains("threshold") ? std::optional(rate["threshold"].get<double>()) : std::nullopt;
    }
    const Json& roc = member_of(detection, "roc");
    if (detection.value("roc_thresholds", roc.size()) != roc.size()) {
        throw UsageError(
            fmt::format("--threshold-from: {} holds only part of its curve; make it again with "
                        "--fp-points {}",
                        file, false_positives));
    }
    std::optional<double> threshold;
    std::int64_t most = -1;
    for (const Json& point : roc) {
        if (point["false_positives"].get<std::int64_t>() > false_positives) continue;
        const auto found = point["true_positives"].get<std::int64_t>();
        if (found <= most) continue;
        most = found;
        threshold = point["threshold"].get<double>();
    }
    return threshold;
}

// The number under `key`, which is a threshold's.
double threshold_named(const Json& verification, const std::string& key, const std::string& file) {
    std::vector<std::string> thresholds;
    for (const auto& [name, value] : verification.items()) {
        if (name.starts_with("threshold") && value.is_number()) thresholds.push_back(name);
        if (thresholds.size() > 0 && thresholds.back() == key) return value.get<double>();
    }
    throw UsageError(fmt::format(
        "--threshold-from: {} has no '{}'{}; it has {}", file, key, did_you_mean(key, thresholds),
        thresholds.empty() ? "no threshold at all" : fmt::format("{}", fmt::join(thresholds, ", "))));
}

}  // namespace

ThresholdSource parse_threshold_source(const std::string& text) {
    const auto [file, point] = split_point(text);
    ThresholdSource source;
    source.file = file;
    source.false_positives = point_of(point);
    source.report = read_report_file(file);
    return source;
}

ReportThreshold threshold_for(const ThresholdSource& source, const std::string& detector) {
    const Json& detection =
        evaluation_of(source.report.json, {"detection", "detectors", "detector"}, source.file, detector);
    std::optional<double> threshold;
    std::string point = "best F1";
    if (source.false_positives >= 0) {
        point = "at most " + counted(static_cast<std::size_t>(source.false_positives), "false positive");
        threshold = threshold_at(detection, source.false_positives, source.file);
    } else if (detection.contains("best_f1_threshold")) {
        threshold = detection["best_f1_threshold"].get<double>();
    }
    if (!threshold) {
        throw UsageError("--threshold-from: no threshold of " + source.file + " gives " + point);
    }
    return {*threshold, point + " of " + source.file};
}

ReportThreshold threshold_from(const std::string& specification, const std::string& recogniser,
                               bool distance) {
    const auto [file, point] = split_point(specification);
    const std::string key = point.empty() ? "threshold_at_eer" : point;
    const StoredReport report = read_report_file(file);
    const Json& verification =
        evaluation_of(report.json, {"verification", "recognisers", "recogniser"}, file, recogniser);
    const double value = threshold_named(verification, key, file);
    const bool was_distance = member_of(verification, "scores") == "distance";
    if (was_distance != distance) {
        throw UsageError("--threshold-from: the scores of " + file + " are " +
                         (was_distance ? "distances, but --distance was not given"
                                       : "similarities, but --distance was given"));
    }
    return {value, file + ", " + key};
}

}  // namespace fovea
