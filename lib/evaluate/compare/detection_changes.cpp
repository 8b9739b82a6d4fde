#include "lib/evaluate/compare/detection_changes.hpp"

#include <algorithm>
#include <tuple>

#include "lib/core/box_index.hpp"
#include "lib/core/error.hpp"
#include "lib/core/overlap.hpp"

namespace fovea {
namespace {

constexpr double same_alarm_iou = 0.5;

std::vector<std::size_t> false_positives(const ImageEvaluation& outcome) {
    std::vector<std::size_t> list;
    for (std::size_t i = 0; i < outcome.outcomes.size(); ++i) {
        if (outcome.outcomes[i] == DetectionMatch::false_positive) list.push_back(i);
    }
    return list;
}

// Leaves in both lists what has no partner in the other; returns the number of pairs.
int remove_common(const ImageEvaluation& first, const ImageEvaluation& second,
                  std::vector<std::size_t>& of_first, std::vector<std::size_t>& of_second) {
    std::vector<Box> alarms;
    for (const std::size_t k : of_second) alarms.push_back(second.detections[k].box);
    const BoxIndex index(alarms);
    std::vector<std::tuple<double, std::size_t, std::size_t>> pairs;
    for (const std::size_t i : of_first) {
        const Box& box = first.detections[i].box;
        index.visit_touching(box, [&](std::size_t alarm) {
            const double iou = intersection_over_union(box, alarms[alarm]);
            if (iou >= same_alarm_iou) pairs.emplace_back(-iou, i, of_second[alarm]);
        });
    }
    std::sort(pairs.begin(), pairs.end());
    std::vector<char> first_taken(first.detections.size(), 0);
    std::vector<char> second_taken(second.detections.size(), 0);
    int common = 0;
    for (const auto& [iou, i, k] : pairs) {
        if (first_taken[i] != 0 || second_taken[k] != 0) continue;
        first_taken[i] = second_taken[k] = 1;
        ++common;
    }
    std::erase_if(of_first, [&](std::size_t i) { return first_taken[i] != 0; });
    std::erase_if(of_second, [&](std::size_t k) { return second_taken[k] != 0; });
    return common;
}

}  // namespace

DetectionChanges detection_changes(const Dataset& dataset, const DetectionEvaluation& first,
                                   const DetectionEvaluation& second) {
    if (first.image_outcomes.size() != second.image_outcomes.size()) {
        throw Error("A comparison of detectors needs evaluations of the same images.");
    }
    DetectionChanges changes;
    int both = 0;
    int only_first = 0;
    int only_second = 0;
    int neither = 0;
    for (std::size_t i = 0; i < first.image_outcomes.size(); ++i) {
        const ImageEvaluation& a = first.image_outcomes[i];
        const ImageEvaluation& b = second.image_outcomes[i];
        if (a.sample != b.sample)
            throw Error("A comparison of detectors needs evaluations of the same images.");
        const std::vector<Face>& faces = dataset.samples.at(a.sample).faces;
        ImageChange change;
        change.image = i;
        for (std::size_t k = 0; k < faces.size(); ++k) {
            if (is_ignored(a, k)) continue;
            const bool by_first = a.face_match[k] >= 0;
            const bool by_second = b.face_match[k] >= 0;
            both += by_first && by_second ? 1 : 0;
            neither += !by_first && !by_second ? 1 : 0;
            if (by_second && !by_first) change.faces_gained.push_back(k);
            if (by_first && !by_second) change.faces_lost.push_back(k);
        }
        only_first += static_cast<int>(change.faces_lost.size());
        only_second += static_cast<int>(change.faces_gained.size());
        change.alarms_lost = false_positives(a);
        change.alarms_gained = false_positives(b);
        changes.alarms_common += remove_common(a, b, change.alarms_lost, change.alarms_gained);
        changes.alarms_gained += static_cast<int>(change.alarms_gained.size());
        changes.alarms_lost += static_cast<int>(change.alarms_lost.size());
        if (change.size() > 0) changes.images.push_back(std::move(change));
    }
    std::stable_sort(changes.images.begin(), changes.images.end(),
                     [](const ImageChange& a, const ImageChange& b) { return a.size() > b.size(); });
    changes.faces = mcnemar_test(both, only_first, only_second, neither);
    return changes;
}

DetectionResults results_from_threshold(const DetectionResults& results, double threshold) {
    DetectionResults kept = results;
    for (ImageResult& image : kept.images) {
        std::erase_if(image.detections,
                      [&](const Detection& detection) { return detection.score < threshold; });
    }
    return kept;
}

}  // namespace fovea
