#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "lib/dataset/dataset.hpp"
#include "lib/evaluate/compare/detection_changes.hpp"
#include "lib/evaluate/detection/detection.hpp"
#include "lib/json/json_fwd.hpp"

namespace fovea {

/// A number of two reports, A and B.
struct ComparedNumber {
    std::string key;                       ///< "detection.average_precision", "detection.rate_at_16_fp"
    std::string name;                      ///< as people read it
    std::string definition;                ///< may be empty
    std::optional<bool> higher_is_better;  ///< absent where neither is (counts, thresholds)
    bool is_rate = false;                  ///< shown in percent
    bool headline = false;                 ///< a gate judges it unless other numbers are named
    std::optional<double> first;
    std::optional<double> second;
    std::optional<double> difference;  ///< second - first
    std::optional<Interval> ci95;      ///< of the difference
    /// Interval and p-value are from units resampled together.
    bool paired = false;
    std::optional<double> p_value;  ///< two-sided
    /// Cohen's h of two rates, 2 asin(sqrt(B)) - 2 asin(sqrt(A)): 0.2 is called small, 0.5 medium, 0.8 large.
    /// Source: J. Cohen, "Statistical Power Analysis for the Behavioral Sciences", 1988, chapter 6.
    std::optional<double> effect_h;

    /// The amount by which B is worse than A; below 0 where better. Absent without a direction or a value.
    std::optional<double> worse_by() const;
    /// The interval of the difference lies on one side of 0.
    bool significant() const;
};

/// Fills in the difference and the effect size of the two values.
void complete_difference(ComparedNumber& number);

/// Without pairing: z = difference / sqrt(se_A^2 + se_B^2), where an interval is 2 x 1.96 standard errors
/// wide; gives interval and p-value of the difference. Nothing where an interval is absent or both have
/// no width.
void compare_intervals(ComparedNumber& number, const std::optional<Interval>& first,
                       const std::optional<Interval>& second);

/// The two-sided p-value of a difference whose 95 % interval is 2 x 1.96 standard errors of a normal
/// distribution wide; absent where it has no width.
std::optional<double> normal_p_value(double difference, const Interval& ci95);

/// A setting in which the detectors of the two reports differ.
struct SettingDifference {
    std::string name;  ///< "scale_factor"
    std::string a;     ///< "1.1"; "–" where the report does not tell
    std::string b;
};

/// Detectors compared face by face.
struct ComparedDetections {
    Dataset dataset;                               ///< the images compared
    std::vector<DetectionEvaluation> evaluations;  ///< of A and B, every detection kept: the curves
    std::string at;                                ///< the operating point: "with every detection kept"
    /// The thresholds of the operating point; absent where all detections are kept or none is.
    std::array<std::optional<double>, 2> thresholds;
    std::vector<DetectionEvaluation> kept;  ///< of A and B at the operating point
    DetectionChanges changes;               ///< at the operating point
};

/// Two reports side by side.
struct Comparison {
    /// "A: mct", "B: alt2"; equal names get the setting that differs: "A: mct (scale_factor 1.1)".
    std::array<std::string, 2> names;
    std::array<std::string, 2> sources;       ///< as the user named them
    bool paired = false;                      ///< evaluated again on the same images and resampled together
    std::string method;                       ///< a sentence: where intervals and p-values are from
    std::string protocol;                     ///< a sentence; may be empty
    std::string dataset;                      ///< its name; may be empty
    std::vector<SettingDifference> settings;  ///< that differ, as far as both reports tell
    std::vector<ComparedNumber> numbers;
    std::optional<ComparedDetections> detections;  ///< where paired
    std::vector<std::string> warnings;
};

/// compare.json: {"format": "fovea-comparison", "version", "a", "b", "paired", "method", "settings",
/// "numbers": [...], "faces", "false_alarms", "images": [...]}. Lists at most `max_images` images
/// that changed.
Json comparison_to_json(const Comparison& comparison, std::size_t max_images = 1000);

}  // namespace fovea
