#include "lib/report/stored/report_threshold.hpp"

#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include <spdlog/fmt/fmt.h>
#include <spdlog/spdlog.h>

#include "lib/core/error.hpp"
#include "lib/core/nearest_name.hpp"
#include "lib/core/text.hpp"
#include "lib/evaluate/statistics/rates.hpp"
#include "lib/files/folder.hpp"
#include "lib/json/json_member.hpp"

namespace fovea {
namespace {

// "dev/report.json:mct:16fp": which report, whose threshold in it, and which of them.
struct SourceParts {
    std::string file;
    std::string name;   // empty = of the same name as what is evaluated, or the only one
    std::string point;  // empty = the default
};

// A file's name may hold colons. \param is_point tells a point from a name.
template <class IsPoint>
SourceParts split_source(const std::string& text, IsPoint&& is_point) {
    SourceParts parts{text, "", ""};
    const auto take_last = [&] {
        const std::size_t colon = parts.file.rfind(':');
        if (colon == std::string::npos || is_there(parts.file)) return std::string();
        const std::string last = parts.file.substr(colon + 1);
        parts.file.resize(colon);
        return last;
    };
    parts.point = take_last();
    if (!parts.point.empty() && is_point(parts.point)) {
        parts.name = take_last();
    } else {
        std::swap(parts.name, parts.point);
    }
    return parts;
}

// A kind of evaluation in a report: "detection" of a "detector", of several in "detectors".
struct Kind {
    const char* key;
    const char* list;
    const char* noun;
};

struct NamedEvaluation {
    std::string name;
    const Json* evaluation;
};

// \throws UsageError if there is none of that kind.
std::vector<NamedEvaluation> evaluations_of(const Json& report, const Kind& kind, const std::string& file) {
    std::vector<NamedEvaluation> found;
    for (const Json& entry : member_of(report, kind.list)) {
        if (entry.contains(kind.key)) found.push_back({entry["name"].get<std::string>(), &entry[kind.key]});
    }
    if (found.empty() && report.contains(kind.key)) {
        found.push_back({report[kind.key].value("name", ""), &report[kind.key]});
    }
    if (found.empty()) {
        throw UsageError(fmt::format("--threshold-from: {} is no report of a {}", file, kind.key));
    }
    return found;
}

std::vector<std::string> names_of(const std::vector<NamedEvaluation>& evaluations) {
    std::vector<std::string> names;
    for (const NamedEvaluation& evaluation : evaluations) names.push_back(evaluation.name);
    return names;
}

// The evaluation that was named in the flag: no other will do.
const Json& evaluation_named(const Json& report, const Kind& kind, const SourceParts& source,
                             const std::string& points) {
    const std::vector<NamedEvaluation> evaluations = evaluations_of(report, kind, source.file);
    for (const NamedEvaluation& evaluation : evaluations) {
        if (evaluation.name == source.name) return *evaluation.evaluation;
    }
    std::vector<std::string> known = names_of(evaluations);
    const std::string names = fmt::format("{}", fmt::join(known, ", "));
    const Json& first = *evaluations.front().evaluation;
    std::string list = points;
    for (const auto& [key, value] : first.items()) {
        if (!points.empty() || !key.starts_with("threshold") || !value.is_number()) continue;
        known.push_back(key);
        list += (list.empty() ? "" : ", ") + key;
    }
    if (!points.empty()) known.emplace_back("best-f1");
    throw UsageError(
        fmt::format("--threshold-from: {} has no '{}'{}: it is no operating point ({}), and no {}; it has {}",
                    source.file, source.name, did_you_mean(source.name, known),
                    list.empty() ? "the report has none" : list, kind.noun, names));
}

// The evaluation of that name, or the only one.
const Json& evaluation_of(const Json& report, const Kind& kind, const std::string& file,
                          const std::string& name) {
    const std::vector<NamedEvaluation> evaluations = evaluations_of(report, kind, file);
    for (const NamedEvaluation& evaluation : evaluations) {
        if (evaluation.name == name) return *evaluation.evaluation;
    }
    const std::vector<std::string> names = names_of(evaluations);
    if (evaluations.size() > 1) {
        throw UsageError(
            fmt::format("--threshold-from: {} has no {} '{}'{}, and scores of different {} have different "
                        "scales; it has {}: say with --name which one was evaluated, or write "
                        "REPORT:NAME to take that one's threshold",
                        file, kind.noun, name, did_you_mean(name, names), kind.list, fmt::join(names, ", ")));
    }
    if (!names[0].empty()) {
        spdlog::warn(
            "--threshold-from: the threshold of '{}' in {} is applied to '{}', as if both were one {}",
            names[0], file, name, kind.noun);
    }
    return *evaluations[0].evaluation;
}

constexpr Kind detection_kind{"detection", "detectors", "detector"};
constexpr Kind verification_kind{"verification", "recognisers", "recogniser"};

// A report's threshold may be that of these points; nothing for other texts.
std::optional<OperatingPointChoice> point_of(const std::string& text) {
    using Point = OperatingPointChoice::Kind;
    if (text.empty()) return OperatingPointChoice{};
    const std::optional<OperatingPointChoice> point = find_operating_point(text);
    return point && (point->kind == Point::every_detection || point->kind == Point::score) ? std::nullopt
                                                                                           : point;
}

std::optional<double> threshold_at(const Json& detection, const OperatingPointChoice& point,
                                   const std::string& file) {
    using Point = OperatingPointChoice::Kind;
    if (point.kind == Point::best_f1) {
        const Json& threshold = member_of(detection, "best_f1_threshold");
        return threshold.is_null() ? std::nullopt : std::optional(threshold.get<double>());
    }
    const bool is_count = point.kind == Point::false_positives;
    for (const Json& rate : member_of(detection, "rate_at_false_positives")) {
        if (!is_count || rate["false_positives"] != point.false_positives) continue;
        return rate.contains("threshold") ? std::optional(rate["threshold"].get<double>()) : std::nullopt;
    }
    const Json& roc = member_of(detection, "roc");
    if (detection.value("roc_thresholds", roc.size()) != roc.size()) {
        if (is_count) {
            throw UsageError(
                fmt::format("--threshold-from: {} holds only part of its curve; make it again with "
                            "--fp-points {}",
                            file, point.false_positives));
        }
        spdlog::warn("--threshold-from: {} holds only {} of its curve: another threshold may keep more faces",
                     file, counted(roc.size(), "point"));
    }
    DetectionEvaluation curve;
    for (const Json& entry : roc) {
        RocPoint& at = curve.roc.emplace_back();
        at.threshold = entry["threshold"].get<double>();
        at.true_positives = entry["true_positives"].get<int>();
        at.false_positives = entry["false_positives"].get<int>();
        at.detection_rate = entry["detection_rate"].get<double>();
        at.precision = rate_of(at.true_positives, double(at.true_positives) + at.false_positives);
    }
    return operating_threshold(curve, point);
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
    const SourceParts parts =
        split_source(text, [](const std::string& point) { return point_of(point).has_value(); });
    ThresholdSource source;
    source.file = parts.file;
    source.point = point_of(parts.point).value();
    source.report = read_report_file(parts.file);
    source.name = parts.name;
    if (!parts.name.empty()) {
        evaluation_named(source.report.json, detection_kind, parts,
                         "best-f1, precision>=P, recall>=R, or 16fp for the threshold with at most 16 false "
                         "positives");
    }
    return source;
}

ReportThreshold threshold_for(const ThresholdSource& source, const std::string& detector) {
    const Json& detection =
        source.name.empty()
            ? evaluation_of(source.report.json, detection_kind, source.file, detector)
            : evaluation_named(source.report.json, detection_kind, {source.file, source.name, ""}, "best-f1");
    const std::string point = describe(source.point);
    const std::optional<double> threshold = threshold_at(detection, source.point, source.file);
    if (!threshold) {
        throw UsageError("--threshold-from: no threshold of " + source.file + " gives " + point);
    }
    return {*threshold, point + " of " + source.file};
}

ReportThreshold threshold_from(const std::string& specification, const std::string& recogniser,
                               bool distance) {
    const SourceParts parts =
        split_source(specification, [](const std::string& point) { return point.starts_with("threshold"); });
    const std::string& file = parts.file;
    const std::string key = parts.point.empty() ? "threshold_at_eer" : parts.point;
    const StoredReport report = read_report_file(file);
    const Json& verification = parts.name.empty()
                                   ? evaluation_of(report.json, verification_kind, file, recogniser)
                                   : evaluation_named(report.json, verification_kind, parts, "");
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
