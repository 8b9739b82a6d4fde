#pragma once

#include <string>
#include <vector>

#include "lib/evaluate/detection/detection.hpp"
#include "lib/evaluate/protocols/protocol.hpp"

namespace fovea {

/// How much the way of pairing decides. Detections (all of them) and faces are paired in three ways:
///
/// - Hungarian: IoU >= options.iou_threshold, one to one, most pairs and of these the largest summed
///   IoU (ImageMatcher).
/// - Greedy: by falling score, every detection takes the face of its largest IoU if that is >=
///   options.iou_threshold and no better detection has it (PASCAL VOC); boxes are real-valued.
/// - S_eyes: S_eyes < 0.5, one to one, most pairs and of these the smallest sum (s_eyes_pairs, corrected);
///   detections are not averaged, so that partners can be compared.
///
/// Ignored faces are left out.
struct MatchingAmbiguity {
    int faces = 0;
    int found_hungarian = 0;
    int found_greedy = 0;
    int found_s_eyes = 0;
    int status_differs = 0;         ///< faces found by one or two of the three ways only
    int status_differs_greedy = 0;  ///< of these: found by one of Hungarian and greedy only
    int status_differs_s_eyes = 0;  ///< of these: found by one of Hungarian and S_eyes only
    int partner_differs = 0;        ///< faces that two ways pair with different detections
    int partner_differs_greedy = 0;
    int partner_differs_s_eyes = 0;

    friend bool operator==(const MatchingAmbiguity&, const MatchingAmbiguity&) = default;
};

/// Pairs the images in the three ways and compares them. \throws Error if a box or score is not finite.
MatchingAmbiguity matching_ambiguity(const std::vector<ProtocolImage>& images,
                                     const DetectionEvaluationOptions& options);

/// Does it for the images of an evaluation, with the detections that were evaluated.
MatchingAmbiguity matching_ambiguity(const Dataset& dataset, const DetectionEvaluation& evaluation);

/// One line for people: "3 of 43 faces change between the ways of pairing: ...".
std::string ambiguity_sentence(const MatchingAmbiguity& ambiguity);

}  // namespace fovea
