#include "lib/evaluate/detection/optimal_trace.hpp"

#include <algorithm>
#include <cmath>

#include "lib/evaluate/statistics/hungarian.hpp"

namespace fovea {
namespace {

const PairCandidate& candidate_of(const PairedDetection& detection, int face) {
    return *std::find_if(detection.candidates.begin(), detection.candidates.end(),
                         [face](const PairCandidate& candidate) { return candidate.face == face; });
}

}  // namespace

OptimalTrace trace_optimal_pairs(const Sample& sample, std::size_t sample_index,
                                 std::span<const Detection> detections,
                                 const std::vector<PairedDetection>& pairs,
                                 const std::vector<std::size_t>& order) {
    OptimalTrace result;
    result.trace = start_trace(sample, sample_index, detections);
    ImageTrace& trace = result.trace;

    HungarianMatcher matcher(static_cast<int>(sample.faces.size()));
    std::vector<HungarianMatcher::Edge> edges;
    std::vector<std::int64_t> face_value(sample.faces.size(), 0);
    for (const std::size_t index : order) {
        edges.clear();
        for (const PairCandidate& candidate : pairs[index].candidates) {
            edges.push_back({candidate.face, candidate.weight});
        }
        matcher.add_row(edges);
        int true_positives = 0;
        int false_positives = 0;
        std::int64_t gain = 0;
        const auto outcome_without_face = [&](std::size_t i) {
            return pairs[i].hits_ignored_face ? DetectionMatch::ignored : DetectionMatch::false_positive;
        };
        const auto count = [&](DetectionMatch outcome, int by) {
            if (outcome == DetectionMatch::true_positive) true_positives += by;
            if (outcome == DetectionMatch::false_positive) false_positives += by;
        };
        const auto set_outcome = [&](std::size_t i, DetectionMatch outcome) {
            count(trace.outcome.outcomes[i], -1);
            count(trace.outcome.outcomes[i] = outcome, 1);
        };
        trace.outcome.outcomes[index] = outcome_without_face(index);
        count(trace.outcome.outcomes[index], 1);
        // First every face that changes lets its detection go, then it takes the new one.
        for (const int face : matcher.changed_columns()) {
            const auto f = static_cast<std::size_t>(face);
            if (trace.outcome.face_match[f] >= 0) {
                const auto old = static_cast<std::size_t>(trace.outcome.face_match[f]);
                set_outcome(old, outcome_without_face(old));
            }
            trace.outcome.face_match[f] = -1;
            gain -= face_value[f];
        }
        for (const int face : matcher.changed_columns()) {
            const auto f = static_cast<std::size_t>(face);
            const std::size_t taken = order[static_cast<std::size_t>(matcher.row_of(face))];
            const PairCandidate& pair = candidate_of(pairs[taken], face);
            if (pair.is_hit) {
                set_outcome(taken, DetectionMatch::true_positive);
                trace.outcome.face_match[f] = static_cast<int>(taken);
            }
            trace.face_iou[f] = pair.is_hit ? pair.iou : 0;
            trace.change(f, trace.face_iou[f]);
            face_value[f] = std::llround(pair.value * units_per_one);
            gain += face_value[f];
        }
        trace.add_step(detections[index].score, true_positives, false_positives);
        result.values.push_back(gain);
    }
    return result;
}

}  // namespace fovea
