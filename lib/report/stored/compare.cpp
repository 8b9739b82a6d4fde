#include "lib/report/stored/compare.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <unordered_map>

#include <spdlog/fmt/fmt.h>

#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/dataset/video_frames.hpp"
#include "lib/evaluate/evaluate_detection.hpp"
#include "lib/evaluate/protocols/detection_protocols.hpp"
#include "lib/files/folder.hpp"
#include "lib/json/json_member.hpp"
#include "lib/json/json_text.hpp"
#include "lib/report/stored/detector_settings.hpp"
#include "lib/report/stored/report_numbers.hpp"

namespace fovea {
namespace {

using RecordedDetector = EvaluationRecord::Detector;

// --- the same images on both sides -----------------------------------------------------------------

std::unordered_map<std::string, std::size_t> index_of_images(const Dataset& dataset) {
    std::unordered_map<std::string, std::size_t> index;
    for (std::size_t i = 0; i < dataset.samples.size(); ++i) index.emplace(dataset.samples[i].image, i);
    return index;
}

// "12 images are only in A, for example 'x.png'"; empty for none.
std::string only_in(const Dataset& dataset, const std::unordered_map<std::string, std::size_t>& other,
                    const std::string& side) {
    std::size_t count = 0;
    std::string example;
    for (const Sample& sample : dataset.samples) {
        if (other.count(sample.image) != 0) continue;
        if (count++ == 0) example = sample.image;
    }
    if (count == 0) return {};
    return counted(count, "image is", "images are") + " only in " + side + ", for example '" +
           excerpt(example) + "'";
}

/// The images that both records have, in A's order.
Dataset common_dataset(const EvaluationRecord& first, const EvaluationRecord& second,
                       const CompareRequest& request, std::vector<std::string>& warnings) {
    const auto in_first = index_of_images(first.dataset);
    const auto in_second = index_of_images(second.dataset);
    std::string differ = only_in(first.dataset, in_second, "A");
    const std::string more = only_in(second.dataset, in_first, "B");
    if (!more.empty()) differ += (differ.empty() ? "" : ", and ") + more;
    if (!differ.empty() && !request.intersection) {
        throw UsageError(
            "the reports are not of the same images: " + differ +
            "; evaluate both on the same dataset, or compare the common images with --intersection");
    }
    if (!differ.empty()) warnings.push_back("Only the common images are compared: " + differ + ".");

    Dataset dataset = first.dataset;
    dataset.samples.clear();
    for (const Sample& sample : first.dataset.samples) {
        const auto found = in_second.find(sample.image);
        if (found == in_second.end()) continue;
        const Sample& other = second.dataset.samples[found->second];
        if (ground_truth_text(sample) != ground_truth_text(other)) {
            throw Error(
                "The ground truth of '" + excerpt(sample.image) +
                "' is not the same in both reports, so that their numbers cannot be compared; evaluate both "
                "on the same dataset.");
        }
        dataset.samples.push_back(sample);
        if (!request.root.empty()) dataset.samples.back().path = request.root / sample.image;
        if (request.root.empty() && !is_there(sample.path)) {
            dataset.samples.back().path = other.path;
        }
    }
    if (dataset.samples.empty())
        throw UsageError("the reports have no image in common; there is nothing to compare");
    expand_videos(dataset, {});  // for the pictures: frames are named by their video
    return dataset;
}

DetectionResults results_on(const Dataset& dataset, const DetectionResults& results) {
    std::set<std::string_view> names;
    for (const Sample& sample : dataset.samples) names.insert(sample.image);
    DetectionResults kept = results;
    std::erase_if(kept.images, [&](const ImageResult& result) { return names.count(result.image) == 0; });
    return kept;
}

// --- options ---------------------------------------------------------------------------------------

DetectionEvaluationOptions common_options(const RecordedDetector& first, const RecordedDetector& second,
                                          const CompareRequest& request) {
    const auto protocol = [](const DetectionEvaluationOptions& o) {
        std::string text = record_of(o.protocol).name;
        if (o.protocol == DetectionProtocol::iou) text += " at IoU " + shortest_number(o.iou_threshold);
        if (o.mode != ProtocolMode::strict) text += ", " + mode_name(o.mode);
        return text;
    };
    if (protocol(first.options) != protocol(second.options)) {
        throw UsageError(
            fmt::format("A was evaluated by the protocol {}, B by {}; evaluate one of them again",
                        protocol(first.options), protocol(second.options)));
    }
    DetectionEvaluationOptions options = first.options;
    std::vector<int>& points = options.false_positive_points;
    const auto add = [&](const std::vector<int>& more) {
        points.insert(points.end(), more.begin(), more.end());
    };
    add(second.options.false_positive_points);
    add(request.false_positive_points);
    if (request.at.kind == OperatingPointChoice::Kind::false_positives)
        points.push_back(request.at.false_positives);
    std::sort(points.begin(), points.end());
    points.erase(std::unique(points.begin(), points.end()), points.end());
    // The differences are resampled; the two sides for the bands of their curves alone.
    options.bootstrap_resamples = request.with_bands ? request.resamples : 0;
    options.bootstrap_seed = request.seed;
    return options;
}

// --- numbers ---------------------------------------------------------------------------------------

void add_paired_numbers(const ComparedDetections& detections, const CompareRequest& request,
                        std::vector<ComparedNumber>& numbers) {
    const DetectionEvaluation& first = detections.evaluations[0];
    const DetectionEvaluation& second = detections.evaluations[1];
    const std::size_t groups = std::min(first.resampleables.size(), second.resampleables.size());
    for (std::size_t group = 0; group < groups; ++group) {
        const std::string prefix =
            group == 0 ? "detection." : "detection." + record_of(first.options.protocol).name + ".";
        for (const PairedNumber& estimate :
             paired_bootstrap(*first.resampleables[group], *second.resampleables[group], request.resamples,
                              request.seed)) {
            // Points of bands and slices are for the curves.
            if (estimate.quantity.definition.empty()) continue;
            ComparedNumber number;
            number.key = prefix + estimate.quantity.key;
            number.name = estimate.quantity.name;
            number.definition = estimate.quantity.definition;
            number.higher_is_better = is_higher_better(estimate.quantity);
            number.is_rate = estimate.quantity.is_share();
            // A protocol's own numbers stand for the detector.
            number.headline = groups > 1 ? group > 0 : estimate.quantity.headline;
            number.first = estimate.first;
            number.second = estimate.second;
            complete_difference(number);
            number.ci95 = estimate.ci95;
            number.paired = true;
            number.p_value = estimate.p_value;
            numbers.push_back(std::move(number));
        }
    }
}

/// A section whose units may be recorded.
struct UnitSection {
    const char* name;
    const char* same;       ///< that two evaluations must share to be compared unit by unit
    const char* resampled;  ///< one by one
};
constexpr UnitSection landmark_section{"landmarks", "faces", "images"};
constexpr std::array unit_sections{landmark_section,
                                   UnitSection{"verification", "pairs in the same order", "pairs"},
                                   UnitSection{"identification", "gallery and probes", "probes"}};

bool hold(const StoredReport& first, const StoredReport& second, const char* section) {
    return first.json.contains(section) && second.json.contains(section);
}

// The same faces, pairs or probes, as far as the reports tell; why not otherwise.
std::string why_other_units(const StoredReport& first, const StoredReport& second,
                            const UnitSection& section) {
    const auto has_units = [&](const StoredReport& report) {
        return report.units && report.units->kind == section.name && report.unit;
    };
    const bool a = has_units(first), b = has_units(second);
    if (!a && !b) return fmt::format("neither report has a record (units.jsonl) of its {}", section.name);
    if (!a || !b)
        return fmt::format("{} lacks the record (units.jsonl) of its {}", a ? "B" : "A", section.name);
    if (first.units->units_sha256 == second.units->units_sha256) return {};
    return fmt::format("the two are not of the same {}", section.same);
}

// Numbers of landmarks or of a recogniser: resampled together where both have records of the same units, else
// the reports' own. \return the sentence of the method.
std::string add_section_numbers(const StoredReport& first, const StoredReport& second,
                                const UnitSection& section, const CompareRequest& request,
                                Comparison& comparison) {
    const char* const name = section.name;
    const std::string why = why_other_units(first, second, section);
    std::vector<ComparedNumber> numbers =
        compare_numbers(Json{{name, first.json[name]}}, Json{{name, second.json[name]}});
    if (!why.empty()) {
        comparison.numbers.insert(comparison.numbers.end(), numbers.begin(), numbers.end());
        return fmt::format(
            "Numbers of {} are not paired, for {}: their intervals and p-values take the two to be "
            "independent (z test), which is wider.",
            name, why);
    }
    std::map<std::string, PairedNumber> paired;
    for (PairedNumber& estimate : paired_units(*first.units, *first.unit, *second.units, *second.unit,
                                               request.resamples, request.seed)) {
        const std::string key = estimate.quantity.key;
        paired.emplace(key, std::move(estimate));
    }
    for (ComparedNumber& number : numbers) {
        const auto found = paired.find(number.key);
        if (found != paired.end()) {
            number.definition = found->second.quantity.definition;
            number.ci95 = found->second.ci95;
            number.paired = true;
            number.p_value = found->second.p_value;
        } else {
            // A statistic without a pair has no interval that could be trusted beside the others.
            number.ci95.reset();
            number.p_value.reset();
        }
        comparison.numbers.push_back(std::move(number));
    }
    comparison.paired = true;
    return fmt::format(
        "Numbers of {} have 95 % intervals and two-sided p-values by the paired bootstrap over {} ({} "
        "resamples, seed {}).",
        name, section.resampled, request.resamples, request.seed);
}

// Records hold detections alone: landmarks stand beside them if they are of the same faces.
void add_landmark_numbers(const StoredReport& first, const StoredReport& second, bool same_images,
                          const CompareRequest& request, Comparison& comparison) {
    if (!hold(first, second, landmark_section.name)) return;
    const Json& a = first.json["landmarks"];
    const Json& b = second.json["landmarks"];
    bool same = same_images;
    for (const char* key : {"images", "faces", "points"}) {
        same = same && a.value(key, Json()) == b.value(key, Json());
    }
    if (!same) {
        comparison.warnings.emplace_back(
            "Landmarks are not compared: the reports' numbers are not of the same faces.");
        return;
    }
    comparison.method += " " + add_section_numbers(first, second, landmark_section, request, comparison);
}

// "with at most 16 false positives, each at its own threshold"
std::string point_in_words(const OperatingPointChoice& at) {
    using Kind = OperatingPointChoice::Kind;
    if (at.kind == Kind::every_detection) return "with every detection kept";
    const std::string article = at.kind == Kind::false_positives ? ""
                                : at.kind == Kind::best_f1       ? "the "
                                                                 : "a ";
    return "with " + article + describe(at) + (at.kind == Kind::score ? "" : ", each at its own threshold");
}

/// Evaluated again with the detections of the operating point alone.
DetectionEvaluation kept_evaluation(const Dataset& dataset, const DetectionEvaluation& all,
                                    std::optional<double> threshold) {
    DetectionResults kept;
    if (threshold) {
        kept = results_from_threshold(*all.results, *threshold);
    } else {
        kept = *all.results;
        for (ImageResult& image : kept.images) image.detections.clear();  // even the strictest has too many
    }
    DetectionEvaluationOptions options = all.options;
    options.bootstrap_resamples = 0;
    return evaluate_detection(dataset, std::move(kept), options, all.name);
}

Comparison compare_paired(const StoredReport& first, const StoredReport& second,
                          const CompareRequest& request, Comparison comparison) {
    const RecordedDetector& detector_a = first.record->detectors[first.detector];
    const RecordedDetector& detector_b = second.record->detectors[second.detector];
    const DetectionEvaluationOptions options = common_options(detector_a, detector_b, request);
    comparison.detections.emplace();
    ComparedDetections& detections = *comparison.detections;
    detections.dataset = common_dataset(*first.record, *second.record, request, comparison.warnings);
    std::array results{results_on(detections.dataset, detector_a.results),
                       results_on(detections.dataset, detector_b.results)};
    for (std::size_t i = 0; i < 2; ++i) {
        detections.evaluations.push_back(
            evaluate_detection(detections.dataset, std::move(results[i]), options, comparison.names[i]));
    }
    add_paired_numbers(detections, request, comparison.numbers);

    detections.at = point_in_words(request.at);
    if (request.at.kind == OperatingPointChoice::Kind::every_detection) {
        detections.kept = detections.evaluations;
    } else {
        for (std::size_t i = 0; i < 2; ++i) {
            const DetectionEvaluation& all = detections.evaluations[i];
            detections.thresholds[i] = operating_threshold(all, request.at);
            detections.kept.push_back(kept_evaluation(detections.dataset, all, detections.thresholds[i]));
        }
    }
    detections.changes = detection_changes(detections.dataset, detections.kept[0], detections.kept[1]);
    // Nobody needs them from here on.
    for (DetectionEvaluation& evaluation : detections.evaluations) evaluation.resampleables.clear();
    for (DetectionEvaluation& evaluation : detections.kept) evaluation.resampleables.clear();

    comparison.paired = true;
    comparison.method = fmt::format(
        "Both detectors were evaluated again on the same images; differences are B - A. 95 % intervals and "
        "two-sided p-values are by the paired bootstrap over images ({} resamples, seed {}).",
        request.resamples, request.seed);
    // All that there is to warn of until here is that only the common images are compared.
    add_landmark_numbers(first, second, comparison.warnings.empty(), request, comparison);
    comparison.protocol = protocol_description(options);
    comparison.dataset = detections.dataset.name;
    return comparison;
}

std::string unpaired_reason(const StoredReport& first, const StoredReport& second) {
    if (!first.record && !second.record)
        return "neither report has a record (evaluated.jsonl) of what was evaluated";
    return std::string(first.record ? "B" : "A") + " has no record (evaluated.jsonl) of what was evaluated";
}

}  // namespace

std::string incomparable(const Json& first, const Json& second) {
    struct Section {
        const char* name;
        std::vector<const char*> rules;   // members of "protocol" that must be equal
        std::vector<const char*> counts;  // members that must be equal
    };
    static const std::vector<Section> all{
        {"detection", {"rule", "mode", "iou_threshold"}, {"images", "faces"}},
        {"landmarks", {}, {"images", "faces", "points"}},
        {"tracks", {"mode", "iou_threshold"}, {"images", "number_of_videos"}},
        {"verification", {}, {"scores", "pairs", "genuine", "impostors"}},
        {"identification", {}, {"gallery_images", "gallery_subjects", "probes", "mated_probes"}},
        {"clustering", {}, {"images", "subjects"}}};
    const auto shown = [](const Json& json) { return excerpt(compact_text(json)); };
    for (const Section& section : all) {
        const Json& a = member_of(first, section.name);
        const Json& b = member_of(second, section.name);
        if (a.is_null() || b.is_null()) continue;
        for (const char* key : section.rules) {
            const Json& rule_a = member_of(member_of(a, "protocol"), key);
            const Json& rule_b = member_of(member_of(b, "protocol"), key);
            if (rule_a != rule_b) {
                return fmt::format("the protocols differ ({} is {} and {})", key, shown(rule_a),
                                   shown(rule_b));
            }
        }
        for (const char* key : section.counts) {
            const Json& count_a = member_of(a, key);
            const Json& count_b = member_of(b, key);
            if (count_a != count_b) {
                return fmt::format("the {} evaluated differ ({} and {})", key, shown(count_a),
                                   shown(count_b));
            }
        }
        const Json& units_a = member_of(a, "units_sha256");
        const Json& units_b = member_of(b, "units_sha256");
        if (!units_a.is_null() && !units_b.is_null() && units_a != units_b) {
            return std::string("the ") + section.name + " are of other faces, pairs or probes";
        }
    }
    return {};
}

std::vector<ComparedNumber> compare_numbers(const Json& first, const Json& second) {
    std::map<std::string, ReportNumber> others;
    for (ReportNumber& number : report_numbers(second)) others.emplace(number.key, std::move(number));
    std::vector<ComparedNumber> numbers;
    for (const ReportNumber& value : report_numbers(first)) {
        const auto other = others.find(value.key);
        if (other == others.end()) continue;
        ComparedNumber number;
        number.key = value.key;
        number.name = value.key;
        // One of them may be of an earlier version, which states nothing.
        if (const std::optional<Quantity>& quantity =
                value.quantity ? value.quantity : other->second.quantity) {
            number.higher_is_better = is_higher_better(*quantity);
            number.is_rate = quantity->is_share();
            number.headline = quantity->headline;
        }
        number.first = value.value;
        number.second = other->second.value;
        complete_difference(number);
        compare_intervals(number, value.ci95, other->second.ci95);
        numbers.push_back(std::move(number));
    }
    return numbers;
}

namespace {

// Two detectors of one name are told apart by what differs, or by where their reports lie.
void tell_apart(const StoredReport& first, const StoredReport& second, Comparison& comparison) {
    comparison.settings = differing_settings(detector_settings(first.json, first.name),
                                             detector_settings(second.json, second.name));
    if (first.name.empty() || first.name != second.name) return;
    constexpr std::size_t most = 2;
    std::array<std::string, 2> marks;
    for (std::size_t i = 0; i < comparison.settings.size() && i < most; ++i) {
        const SettingDifference& setting = comparison.settings[i];
        for (std::size_t side = 0; side < 2; ++side) {
            marks[side] += (i == 0 ? "" : ", ") + setting.name + " " + (side == 0 ? setting.a : setting.b);
        }
    }
    if (marks[0] == marks[1]) marks = comparison.sources;
    if (marks[0] == marks[1]) return;  // a report against itself
    for (std::size_t side = 0; side < 2; ++side) comparison.names[side] += " (" + marks[side] + ")";
}

Comparison compare_read(const StoredReport& first, const StoredReport& second, const CompareRequest& request,
                        Comparison comparison) {
    if (first.record && second.record) return compare_paired(first, second, request, std::move(comparison));
    if (request.at.kind != OperatingPointChoice::Kind::every_detection || request.intersection) {
        throw UsageError("--at and --intersection need a record of both evaluations, but " +
                         unpaired_reason(first, second) + "; make the report again");
    }
    const Json& dataset = member_of(member_of(first.json, "dataset"), "name");
    if (dataset.is_string()) comparison.dataset = dataset.get<std::string>();
    const std::string differ = incomparable(first.json, second.json);
    if (!differ.empty())
        comparison.warnings.push_back("The reports are not of the same task: " + differ + ".");
    for (const UnitSection& section : unit_sections) {
        const bool is_alone = !first.json.contains("detection") && !second.json.contains("detection");
        if (!is_alone || !hold(first, second, section.name)) continue;
        comparison.method =
            "Differences are B - A. " + add_section_numbers(first, second, section, request, comparison);
        return comparison;
    }
    StoredReport a = first, b = second;
    add_rates_at(a.json, request.false_positive_points);
    add_rates_at(b.json, request.false_positive_points);
    comparison.numbers = compare_numbers(a.json, b.json);
    if (comparison.numbers.empty())
        throw UsageError("the reports have no number in common; they are of different kinds");
    comparison.method = "Not paired, for " + unpaired_reason(first, second) +
                        ": differences are B - A; intervals and p-values, where both reports give intervals, "
                        "take the two to be "
                        "independent (z test), which is wider than a paired comparison of the same images.";
    return comparison;
}

/// Sources, names and settings.
Comparison sides_of(const StoredReport& first, const StoredReport& second, const CompareRequest& request) {
    Comparison comparison;
    comparison.sources = {request.first, request.second};
    comparison.names = {first.name.empty() ? "A" : "A: " + first.name,
                        second.name.empty() ? "B" : "B: " + second.name};
    tell_apart(first, second, comparison);
    return comparison;
}

void warn_of_others(const StoredReport& report, const std::string& source, const char* side,
                    std::vector<std::string>& warnings) {
    const Json& detectors = member_of(report.json, "detectors");
    if (!detectors.is_array() || detectors.size() < 2 || source.ends_with(":" + report.name)) return;
    warnings.push_back(
        fmt::format("{} is a report of {}, of which the first, '{}', is compared; name another as {}:NAME.",
                    side, counted(detectors.size(), "detector"), report.name, source));
}

}  // namespace

Json compared_sides(const StoredReport& first, const StoredReport& second, const CompareRequest& request) {
    const Json sides = comparison_to_json(sides_of(first, second, request));
    return {{"a", sides["a"]}, {"b", sides["b"]}};
}

Comparison compare_reports(const StoredReport& first, const StoredReport& second,
                           const CompareRequest& request) {
    Comparison comparison = compare_read(first, second, request, sides_of(first, second, request));
    warn_of_others(first, request.first, "A", comparison.warnings);
    warn_of_others(second, request.second, "B", comparison.warnings);
    return comparison;
}

Comparison compare_reports(const CompareRequest& request) {
    return compare_reports(read_report(request.first, true), read_report(request.second, true), request);
}

}  // namespace fovea
