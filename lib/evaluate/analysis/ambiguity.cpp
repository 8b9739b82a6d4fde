#include "lib/evaluate/analysis/ambiguity.hpp"

#include <algorithm>

#include <tbb/parallel_for.h>

#include "lib/core/box_index.hpp"
#include "lib/core/overlap.hpp"
#include "lib/core/text.hpp"
#include "lib/evaluate/detection/image_trace.hpp"
#include "lib/evaluate/protocols/s_eyes_pairs.hpp"

namespace fovea {
namespace {

using Partners = std::vector<int>;  // of every face: the detection, or -1

Partners pair_greedily(const std::vector<Face>& faces, std::span<const Detection> detections,
                       double threshold) {
    Partners partners(faces.size(), -1);
    const BoxIndex index(faces);
    for (const std::size_t d : order_by_falling_score(detections, ProtocolMode::corrected)) {
        double best = 0;
        std::size_t nearest = faces.size();
        index.visit_touching(detections[d].box, [&](std::size_t f) {
            const double iou = intersection_over_union(faces[f].box, detections[d].box);
            if (faces[f].ignore || iou <= best) return;
            best = iou;
            nearest = f;
        });
        if (nearest < faces.size() && best >= threshold && partners[nearest] < 0) {
            partners[nearest] = static_cast<int>(d);
        }
    }
    return partners;
}

MatchingAmbiguity compare(const ProtocolImage& image, const DetectionEvaluationOptions& options) {
    const std::vector<Face>& faces = image.sample->faces;
    const std::span<const Detection> detections = image.detections;
    const Partners hungarian = trace_image(*image.sample, 0, detections, options).outcome.face_match;
    const Partners greedy = pair_greedily(faces, detections, options.iou_threshold);
    const Partners s_eyes = trace_optimal_pairs(*image.sample, 0, detections,
                                                s_eyes_pairs(faces, detections, ProtocolMode::corrected),
                                                order_by_falling_score(detections, ProtocolMode::corrected))
                                .trace.outcome.face_match;
    MatchingAmbiguity counts;
    for (std::size_t f = 0; f < faces.size(); ++f) {
        if (faces[f].ignore) continue;
        const auto status_differs = [f](const Partners& a, const Partners& b) {
            return (a[f] < 0) != (b[f] < 0);
        };
        const auto partner_differs = [f](const Partners& a, const Partners& b) {
            return a[f] >= 0 && b[f] >= 0 && a[f] != b[f];
        };
        ++counts.faces;
        counts.found_hungarian += hungarian[f] >= 0 ? 1 : 0;
        counts.found_greedy += greedy[f] >= 0 ? 1 : 0;
        counts.found_s_eyes += s_eyes[f] >= 0 ? 1 : 0;
        const bool status_greedy = status_differs(hungarian, greedy);
        const bool status_s_eyes = status_differs(hungarian, s_eyes);
        counts.status_differs += status_greedy || status_s_eyes ? 1 : 0;
        counts.status_differs_greedy += status_greedy ? 1 : 0;
        counts.status_differs_s_eyes += status_s_eyes ? 1 : 0;
        const bool partner_greedy = partner_differs(hungarian, greedy);
        const bool partner_s_eyes = partner_differs(hungarian, s_eyes);
        counts.partner_differs += partner_greedy || partner_s_eyes || partner_differs(greedy, s_eyes) ? 1 : 0;
        counts.partner_differs_greedy += partner_greedy ? 1 : 0;
        counts.partner_differs_s_eyes += partner_s_eyes ? 1 : 0;
    }
    return counts;
}

}  // namespace

MatchingAmbiguity matching_ambiguity(const std::vector<ProtocolImage>& images,
                                     const DetectionEvaluationOptions& options) {
    DetectionEvaluationOptions by_iou = options;
    by_iou.protocol = DetectionProtocol::iou;
    std::vector<MatchingAmbiguity> parts(images.size());
    tbb::parallel_for(std::size_t{0}, images.size(),
                      [&](std::size_t i) { parts[i] = compare(images[i], by_iou); });
    MatchingAmbiguity total;
    for (const MatchingAmbiguity& part : parts) {
        total.faces += part.faces;
        total.found_hungarian += part.found_hungarian;
        total.found_greedy += part.found_greedy;
        total.found_s_eyes += part.found_s_eyes;
        total.status_differs += part.status_differs;
        total.status_differs_greedy += part.status_differs_greedy;
        total.status_differs_s_eyes += part.status_differs_s_eyes;
        total.partner_differs += part.partner_differs;
        total.partner_differs_greedy += part.partner_differs_greedy;
        total.partner_differs_s_eyes += part.partner_differs_s_eyes;
    }
    return total;
}

MatchingAmbiguity matching_ambiguity(const Dataset& dataset, const DetectionEvaluation& evaluation) {
    std::vector<ProtocolImage> images;
    for (const ImageEvaluation& outcome : evaluation.image_outcomes) {
        images.push_back({&dataset.samples.at(outcome.sample), outcome.detections, outcome.result_size});
    }
    return matching_ambiguity(images, evaluation.options);
}

std::string ambiguity_sentence(const MatchingAmbiguity& ambiguity) {
    return std::to_string(ambiguity.status_differs) + " of " +
           counted(static_cast<std::size_t>(ambiguity.faces), "face") +
           " change between the ways of pairing: found by Hungarian (IoU) " +
           std::to_string(ambiguity.found_hungarian) + ", greedy by score " +
           std::to_string(ambiguity.found_greedy) + ", S_eyes " + std::to_string(ambiguity.found_s_eyes) +
           "; " + std::to_string(ambiguity.partner_differs) + " are paired with different detections.";
}

}  // namespace fovea
