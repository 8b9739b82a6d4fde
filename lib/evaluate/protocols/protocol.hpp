#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lib/dataset/dataset.hpp"
#include "lib/evaluate/detection/image_trace.hpp"
#include "lib/evaluate/statistics/resample.hpp"

namespace fovea {

/// The input of a protocol: one annotated image.
struct ProtocolImage {
    const Sample* sample = nullptr;
    std::span<const Detection> detections;    ///< in the results' order; empty if there are none
    std::optional<ImageSize> size;            ///< of the sample or its result; absent if unknown
    std::span<const std::uint32_t> places{};  ///< as ImageResult::places
};

/// A detection protocol with numbers of its own: FDDB, WIDER FACE, PASCAL VOC, COCO, AFW and PASCAL faces,
/// UIUC's cars, or Oro's paper.
///
/// Its statistics are the protocol's numbers ("discrete_at_1000_fp", "easy_ap", "ap_50"), its units the
/// images in their order. The curve and the outcomes of single images that all protocols share (ROC, slices,
/// pictures) are made from the traces.
class ProtocolEvaluation : public BootstrapStatistics {
  public:
    /// The steps that the detections of an image add to the counts, under the protocol's main setting
    /// (documented with each). Thread-safe.
    virtual ImageTrace trace(std::size_t image) const = 0;

    /// True for a face that counts under the main setting: most protocols leave out those marked ignore.
    virtual bool counts(const Face& face) const { return !face.ignore; }

    /// Faces that counts() leaves out and the protocol's numbers do not.
    virtual int ignored_but_counted() const { return 0; }

    /// Notes on these inputs for the user: "the sizes of 2,845 images are unknown; nothing is clipped".
    virtual std::vector<std::string> warnings() const { return {}; }
};

/// Evaluates `images` under a protocol that has numbers of its own; nullptr for a protocol without (iou,
/// mit-cmu). The images and options must outlive the result.
///
/// lib/evaluate/README.md lists the quirks that ProtocolMode::strict keeps. \throws UsageError if the
/// protocol has no such mode; Error naming the image if a box or score is not finite.
std::unique_ptr<ProtocolEvaluation> evaluate_protocol(const std::vector<ProtocolImage>& images,
                                                      const DetectionEvaluationOptions& options,
                                                      ProtocolMode mode);

// The protocols themselves, each in a file of its own (protocol_fddb.cpp and so on).

/// FDDB: `discrete_at_N_fp` and `continuous_at_N_fp`, `discrete_rate` and `continuous_rate`, the last two
/// also by fold; strictly as FDDB's evaluation program. The trace is that of the discrete score.
std::unique_ptr<ProtocolEvaluation> evaluate_fddb(const std::vector<ProtocolImage>& images,
                                                  ProtocolMode mode);
/// WIDER FACE: `easy_ap`, `medium_ap` and `hard_ap`, or `ap` where no face has a level; see wider_image.hpp.
/// Strict is the official MATLAB program (eval_tools), port WiderFace-Evaluation (Python, commit 53474e0).
std::unique_ptr<ProtocolEvaluation> evaluate_wider(const std::vector<ProtocolImage>& images,
                                                   ProtocolMode mode);
/// PASCAL VOC: `ap`, `max_recall` and `precision_at_max_recall`, as VOCevaldet.m of the development kit;
/// strictly equal scores are taken in the order of the results' file, or of the images where no such order is
/// known, and `ap` is undefined where the program gives NaN. The trace is of all detections.
/// \param year 2007 (11 points) or 2010 (all points). \throws UsageError for another one.
std::unique_ptr<ProtocolEvaluation> evaluate_voc(const std::vector<ProtocolImage>& images, ProtocolMode mode,
                                                 int year);
/// COCO: its twelve numbers, `ap`, `ap_50`, `ap_75`, `ap_small`, `ap_medium`, `ap_large`, `ar_1`, `ar_10`,
/// `ar_100`, `ar_small`, `ar_medium` and `ar_large`; strictly those of pycocotools 2.0.11 in every bit,
/// undefined where it gives -1. The trace is at IoU 0.5, of all areas and of at most 100 detections per
/// image; the ones beyond are ignored. Equal scores are strictly taken in the order of the images' attribute
/// "id" where every image has a whole number there; the annotation's id of a face is its attribute "id".
std::unique_ptr<ProtocolEvaluation> evaluate_coco(const std::vector<ProtocolImage>& images,
                                                  ProtocolMode mode);
/// COCO's keypoints: its ten numbers `ap`, `ap_50`, `ap_75`, `ap_medium`, `ap_large`, `ar`, `ar_50`, `ar_75`,
/// `ar_medium` and `ar_large`, of at most 20 detections per image; strictly those of pycocotools 2.0.11,
/// undefined where it gives -1. Faces without a labelled landmark are ignored. The trace is at OKS 0.5, and
/// IoU in it is OKS.
/// \param sigmas as DetectionEvaluationOptions::oks_sigmas. \throws UsageError if their number is not that of
/// the landmarks, or landmarks differ in number.
std::unique_ptr<ProtocolEvaluation> evaluate_oks(const std::vector<ProtocolImage>& images, ProtocolMode mode,
                                                 const std::vector<double>& sigmas);
/// AFW and PASCAL faces: `ap`, and the shift and scale that detections were given; see face_eval.hpp.
std::unique_ptr<ProtocolEvaluation> evaluate_face_eval(const std::vector<ProtocolImage>& images);
/// UIUC's cars: `recall_at_eer`, `best_f`, `recall_at_best_f`, `precision_at_best_f`, `max_recall` and
/// `precision_at_max_recall`; see uiuc_rule.hpp and recall_precision.hpp. Strictly each detection, by falling
/// score, takes the first car in the file's order that it hits and that is left; corrected, cars and
/// detections are paired one to one: most pairs, then the smallest sum of squared distances in ellipses. A
/// detection that takes no car is ignored if it hits an ignored one.
std::unique_ptr<ProtocolEvaluation> evaluate_uiuc(const std::vector<ProtocolImage>& images, ProtocolMode mode,
                                                  bool is_multi_scale);
/// Oro's paper: `detection_rate`, `mean_s_eyes` and `detection_rate_at_N_fp`; see s_eyes_pairs.hpp.
/// Detections are averaged first (average_overlapping).
std::unique_ptr<ProtocolEvaluation> evaluate_s_eyes(const std::vector<ProtocolImage>& images,
                                                    ProtocolMode mode);

}  // namespace fovea
