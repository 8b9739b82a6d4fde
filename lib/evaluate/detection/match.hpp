#pragma once

#include <span>
#include <string>
#include <vector>

#include "lib/core/box_index.hpp"
#include "lib/core/overlap.hpp"
#include "lib/core/types.hpp"
#include "lib/evaluate/detection/detection.hpp"
#include "lib/evaluate/statistics/hungarian.hpp"

namespace fovea {

/// Whether a detection counts as a hit on a face; boxes without area hit nothing and are never hit.
///
/// - DetectionProtocol::iou: IoU >= options.iou_threshold.
/// - DetectionProtocol::mit_cmu: the Euclidean distance of the centres is at most 0.3 face widths, and the
///   widths differ by at most 50 % of the face's width. Both limits are included; boxes of integers are
///   decided exactly.
///   Source: R. Lienhart, A. Kuranov, V. Pisarevsky, "Empirical analysis of detection cascades of boosted
///   classifiers for rapid object detection", DAGM 2003, section 4.
bool is_hit(const Box& face, const Box& detection, const DetectionEvaluationOptions& options);

/// The faces of an image, indexed to find the faces that a box hits.
class HitIndex {
  public:
    /// Both arguments must outlive it.
    HitIndex(std::span<const Face> faces, const DetectionEvaluationOptions& options);

    /// Calls visit(face) for every face that `detection` hits, ignored ones included, by rising number.
    template <class Visit>
    void visit_hits(const Box& detection, const Visit& visit) const {
        index_.visit_touching(place_of(detection), [&](std::size_t face) {
            if (is_hit(faces_[face].box, detection, options_)) visit(face);
        });
    }

  private:
    Box place_of(const Box& detection) const;

    std::span<const Face> faces_;
    const DetectionEvaluationOptions& options_;
    BoxIndex index_;
};

/// \throws UsageError if the IoU threshold is not in (0, 1] or a number of false positives
/// is negative.
void check_options(const DetectionEvaluationOptions& options);

/// The detections of one image, matched to its faces while they arrive by falling score.
///
/// After every add the pairs are an optimal one-to-one matching of the detections so far: most pairs under
/// the rule, among these the largest summed IoU (compared in units of 2^-40). Detections left without a face
/// are ignored if they hit an ignored face (any number may hit the same one), else false positives; so a
/// second detection of a counted face is a false positive unless it hits an ignored face too.
class ImageMatcher {
  public:
    /// Both arguments must outlive the matcher. \throws Error for more than a million faces in one image.
    ImageMatcher(std::span<const Face> faces, const DetectionEvaluationOptions& options);

    /// Adds a detection. \return what the step adds to the counts, even if another detection than this one
    /// changes its outcome: counts of true and false positives never become smaller as the threshold falls.
    DetectionMatch add(const Box& box);

    const std::vector<int>& changed_faces() const { return matcher_.changed_columns(); }
    int detection_of(int face) const { return matcher_.row_of(face); }  ///< index in order of adding, or -1
    double matched_iou(int face) const;                                 ///< 0 for a face that is missed
    DetectionMatch outcome_of(int detection) const;

  private:
    std::span<const Face> faces_;
    HitIndex hits_;
    HungarianMatcher matcher_;
    std::vector<Box> boxes_;
    std::vector<char> hits_ignored_face_;  // parallel to boxes_
    std::vector<HungarianMatcher::Edge> edges_;
};

}  // namespace fovea
