#include "lib/pipeline/threshold_source.hpp"

#include <charconv>
#include <filesystem>

#include <spdlog/fmt/fmt.h>

#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/pipeline/nearest_name.hpp"

namespace fovea {
namespace {

// "16fp" -> 16, "best_f1" -> -1
int point_of(const std::string& point) {
    if (point == "best_f1") return -1;
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

const Json& detection_of(const ThresholdSource& source, const std::string& detector) {
    const Json& report = source.report.json;
    const auto several = report.find("detectors");
    if (several == report.end() || !several->is_array()) {
        if (!report.contains("detection")) {
            throw UsageError("--threshold-from: " + source.file + " is no report of a detection");
        }
        return report["detection"];
    }
    std::vector<std::string> names;
    for (const Json& entry : *several) {
        names.push_back(entry.value("name", ""));
        if (names.back() == detector) return entry.at("detection");
    }
    throw UsageError(
        fmt::format("--threshold-from: {} has no detector '{}'{}; scores of different detectors have "
                    "different scales",
                    source.file, detector, did_you_mean(detector, names)));
}

std::optional<double> threshold_at(const Json& detection, int false_positives, const std::string& file) {
    for (const Json& rate : detection.value("rate_at_false_positives", Json::array())) {
        if (rate.at("false_positives") != false_positives) continue;
        return rate.contains("threshold") ? std::optional(rate["threshold"].get<double>()) : std::nullopt;
    }
    const Json roc = detection.value("roc", Json::array());
    if (detection.value("roc_thresholds", roc.size()) != roc.size()) {
        throw UsageError(
            fmt::format("--threshold-from: {} holds only part of its curve; make it again with "
                        "--fp-points {}",
                        file, false_positives));
    }
    std::optional<double> threshold;
    int most = -1;
    for (const Json& point : roc) {
        if (point.at("false_positives").get<int>() > false_positives) continue;
        if (point.at("true_positives").get<int>() <= most) continue;
        most = point.at("true_positives").get<int>();
        threshold = point.at("threshold").get<double>();
    }
    return threshold;
}

}  // namespace

ThresholdSource parse_threshold_source(const std::string& text) {
    std::error_code ignored;
    const std::size_t colon = text.rfind(':');
    const bool has_point = !std::filesystem::exists(text, ignored) && colon != std::string::npos;
    ThresholdSource source;
    source.file = has_point ? text.substr(0, colon) : text;
    source.false_positives = has_point ? point_of(text.substr(colon + 1)) : -1;
    source.report = read_report(source.file, false);
    return source;
}

FixedThreshold threshold_for(const ThresholdSource& source, const std::string& detector) {
    const Json& detection = detection_of(source, detector);
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

}  // namespace fovea
