#include <algorithm>

#include "lib/core/error.hpp"
#include "lib/core/keypoints.hpp"
#include "lib/core/text.hpp"
#include "lib/evaluate/detection/keypoint_similarity.hpp"
#include "lib/evaluate/protocols/coco_curve.hpp"
#include "lib/evaluate/protocols/coco_match.hpp"
#include "lib/evaluate/protocols/coco_numbers.hpp"
#include "lib/evaluate/protocols/protocol.hpp"

namespace fovea {
namespace {

// COCO's evaluation of boxes, or of keypoints where the rule has sigmas.
class CocoEvaluation : public ProtocolEvaluation {
  public:
    CocoEvaluation(const std::vector<ProtocolImage>& images, CocoRule rule)
        : images_(images),
          rule_(std::move(rule)),
          shared_rule_(corrected(rule_)),
          quantities_(rule_.is_oks() ? oks_quantities() : coco_quantities()),
          curve_(match_coco_images(images, rule_), coco_image_order(images), rule_.mode) {}

    std::size_t units() const override { return images_.size(); }
    const std::vector<Quantity>& quantities() const override { return quantities_; }
    void evaluate(Weights weights, std::span<double> values) const override;
    ImageTrace trace(std::size_t image) const override;
    bool counts(const Face& face) const override { return !is_ignored_in_coco(face, shared_rule_); }
    int ignored_but_counted() const override;
    std::vector<std::string> warnings() const override;

  private:
    static CocoRule corrected(CocoRule rule) {
        rule.mode = ProtocolMode::corrected;
        return rule;
    }

    const std::vector<ProtocolImage>& images_;
    CocoRule rule_;
    /// That of curves and single images, which pycocotools does not have: faces to be ignored count neither
    /// way.
    CocoRule shared_rule_;
    std::vector<Quantity> quantities_;
    CocoCurve curve_;
};

void CocoEvaluation::evaluate(Weights weights, std::span<double> values) const {
    thread_local CocoCurves curves;
    curve_.evaluate(weights, curves);
    if (rule_.is_oks()) {
        std::ranges::copy(oks_numbers(curves), values.begin());
    } else {
        const CocoCurves* const category = &curves;
        std::ranges::copy(coco_numbers({&category, 1}), values.begin());
    }
}

ImageTrace CocoEvaluation::trace(std::size_t index) const {
    const Sample& sample = *images_[index].sample;
    const std::span<const Detection> detections = images_[index].detections;
    const CocoImage image = match_coco(sample, detections, shared_rule_);
    ImageTrace trace = start_trace(sample, index, detections);
    ImageEvaluation& outcome = trace.outcome;
    const std::vector<std::size_t> order = order_by_falling_score(detections, shared_rule_.mode);
    for (std::size_t k = 0; k < order.size(); ++k) {
        int true_positives = 0;
        int false_positives = 0;
        // Detections beyond the limit leave the counts as they are.
        if (k < image.detections.size()) {
            const CocoDetection& detection = image.detections[k];
            if (detection.face >= 0) {
                const auto face = static_cast<std::size_t>(detection.face);
                trace.change(face, detection.face_iou);
                trace.face_iou[face] = detection.face_iou;
                outcome.face_match[face] = static_cast<int>(detection.index);
            }
            true_positives = detection.found[0] & 1;
            false_positives = (detection.counted[0] & 1) - true_positives;
            if (true_positives > 0) outcome.outcomes[detection.index] = DetectionMatch::true_positive;
            if (false_positives > 0) outcome.outcomes[detection.index] = DetectionMatch::false_positive;
        }
        trace.add_step(detections[order[k]].score, true_positives, false_positives);
    }
    return trace;
}

int CocoEvaluation::ignored_but_counted() const {
    int faces = 0;
    for (const ProtocolImage& image : images_) {
        for (const Face& face : image.sample->faces)
            faces += !is_ignored_in_coco(face, rule_) && !counts(face) ? 1 : 0;
    }
    return faces;
}

std::vector<std::string> CocoEvaluation::warnings() const {
    std::size_t crowded = 0;
    std::size_t without_points = 0;
    std::size_t unlabelled = 0;
    for (const ProtocolImage& image : images_) {
        crowded += image.detections.size() > rule_.max_detections() ? 1 : 0;
        if (!rule_.is_oks()) continue;
        for (const Face& face : image.sample->faces) unlabelled += labelled_keypoints(face) == 0 ? 1 : 0;
        for (const Detection& detection : image.detections) {
            without_points += detection.details->landmarks.empty() ? 1 : 0;
        }
    }
    std::vector<std::string> list;
    if (crowded > 0) {
        const std::string limit = std::to_string(rule_.max_detections());
        list.push_back(counted(crowded, "image has", "images have") + " more than " + limit +
                       " detections, of which COCO counts the " + limit + " with the highest scores.");
    }
    if (const int ignored = ignored_but_counted(); ignored > 0) {
        const std::string them = ignored == 1 ? "it" : "them";
        list.push_back(
            counted(static_cast<std::size_t>(ignored), "face is", "faces are") +
            " marked \"ignore\": pycocotools counts " + them +
            " all the same, and so do COCO's numbers. All other numbers leave " + them +
            " out, together with one detection on each; a further detection there is a false positive.");
    }
    if (unlabelled > 0) {
        list.push_back(counted(unlabelled, "face has", "faces have") +
                       " no labelled landmark, so that detections there count neither way.");
    }
    if (without_points > 0) {
        list.push_back(counted(without_points, "detection has", "detections have") +
                       " no landmarks and can find no face.");
    }
    return list;
}

// The number of landmarks that all faces have that have any; 0 if none has.
std::size_t common_keypoints(const std::vector<ProtocolImage>& images) {
    std::size_t common = 0;
    for (const ProtocolImage& image : images) {
        for (const Face& face : image.sample->faces) {
            const std::size_t points = keypoints_of(face);
            if (points == 0) continue;
            if (common == 0) common = points;
            if (points != common) {
                throw UsageError("The faces of the dataset differ in the number of landmarks (" +
                                 std::to_string(common) + " and, in '" + image.sample->image + "', " +
                                 std::to_string(points) + "), so they cannot be compared by OKS.");
            }
        }
    }
    return common;
}

std::vector<double> sigmas_for(const std::vector<ProtocolImage>& images, const std::vector<double>& given) {
    const std::size_t points = common_keypoints(images);
    if (points == 0) {
        throw UsageError(
            "No face of the dataset has landmarks, which the protocol oks compares; evaluate boxes "
            "with --protocol coco.");
    }
    const std::span<const double> known = known_sigmas(points);
    std::vector<double> sigmas = given.empty() ? std::vector<double>(known.begin(), known.end()) : given;
    if (sigmas.size() == 1) sigmas.assign(points, given[0]);
    if (sigmas.empty()) {
        throw UsageError("There are no published OKS sigmas for " + std::to_string(points) +
                         " landmarks: give one for all, or one for each, with --oks-sigmas.");
    }
    if (sigmas.size() != points) {
        throw UsageError("There are " + counted(sigmas.size(), "OKS sigma") + " for " +
                         counted(points, "landmark") + ": give one for all, or one for each.");
    }
    for (const ProtocolImage& image : images) {
        for (const Detection& detection : image.detections) {
            const std::size_t found = detection.details->landmarks.size();
            if (found == 0 || found == points) continue;
            throw UsageError("A detection in '" + image.sample->image + "' has " +
                             counted(found, "landmark") + ", and the dataset's faces have " +
                             std::to_string(points) + ".");
        }
    }
    return sigmas;
}

}  // namespace

std::unique_ptr<ProtocolEvaluation> evaluate_coco(const std::vector<ProtocolImage>& images,
                                                  ProtocolMode mode) {
    return std::make_unique<CocoEvaluation>(images, CocoRule{mode});
}

std::unique_ptr<ProtocolEvaluation> evaluate_oks(const std::vector<ProtocolImage>& images, ProtocolMode mode,
                                                 const std::vector<double>& sigmas) {
    return std::make_unique<CocoEvaluation>(images, CocoRule{mode, sigmas_for(images, sigmas)});
}

}  // namespace fovea
