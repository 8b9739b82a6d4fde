#include <algorithm>

#include "lib/core/text.hpp"
#include "lib/evaluate/coco_curve.hpp"
#include "lib/evaluate/coco_match.hpp"
#include "lib/evaluate/coco_numbers.hpp"
#include "lib/evaluate/protocol.hpp"

namespace fovea {
namespace {

class CocoEvaluation : public ProtocolEvaluation {
  public:
    CocoEvaluation(const std::vector<ProtocolImage>& images, ProtocolMode mode)
        : images_(images),
          mode_(mode),
          statistics_(coco_statistics()),
          curve_(match_coco_images(images, mode), coco_image_order(images), mode) {}

    std::size_t units() const override { return images_.size(); }
    const std::vector<Statistic>& statistics() const override { return statistics_; }
    void evaluate(Weights weights, std::span<double> values) const override;
    ImageTrace trace(std::size_t image) const override;
    std::vector<std::string> warnings() const override;

  private:
    const std::vector<ProtocolImage>& images_;
    ProtocolMode mode_;
    std::vector<Statistic> statistics_;
    CocoCurve curve_;
};

void CocoEvaluation::evaluate(Weights weights, std::span<double> values) const {
    thread_local CocoCurves curves;
    curve_.evaluate(weights, curves);
    const CocoCurves* const category = &curves;
    const std::array<double, 12> numbers = coco_numbers({&category, 1});
    std::copy(numbers.begin(), numbers.end(), values.begin());
}

ImageTrace CocoEvaluation::trace(std::size_t index) const {
    const Sample& sample = *images_[index].sample;
    const std::vector<Detection>& detections = *images_[index].detections;
    const CocoImage image = match_coco(sample, detections, mode_);
    ImageTrace trace = start_trace(sample, index, detections);
    ImageOutcome& outcome = trace.outcome;
    const std::vector<std::size_t> order = order_by_falling_score(detections, mode_);
    for (std::size_t k = 0; k < order.size(); ++k) {
        ImageTrace::Step step{detections[order[k]].score, 0, 0, 0};
        // What is beyond the 100 that count leaves the counts as they are.
        if (k < image.detections.size()) {
            const CocoDetection& detection = image.detections[k];
            if (detection.face >= 0) {
                const auto face = static_cast<std::size_t>(detection.face);
                trace.changes.push_back({face, detection.face_iou});
                trace.face_iou[face] = detection.face_iou;
                outcome.face_match[face] = static_cast<int>(detection.index);
            }
            step.true_positives = detection.found[0] & 1;
            step.false_positives = (detection.counted[0] & 1) - step.true_positives;
            if (step.true_positives > 0) outcome.outcomes[detection.index] = DetectionOutcome::true_positive;
            if (step.false_positives > 0)
                outcome.outcomes[detection.index] = DetectionOutcome::false_positive;
        }
        step.changes_end = trace.changes.size();
        trace.steps.push_back(step);
    }
    return trace;
}

std::vector<std::string> CocoEvaluation::warnings() const {
    std::size_t crowded = 0;
    std::size_t ignored = 0;
    for (const ProtocolImage& image : images_) {
        crowded += image.detections->size() > coco_most_detections ? 1 : 0;
        for (const Face& face : image.sample->faces) ignored += face.ignore && !face.crowd ? 1 : 0;
    }
    std::vector<std::string> list;
    if (crowded > 0) {
        list.push_back(counted(crowded, "image has", "images have") +
                       " more than 100 detections, of which COCO counts the 100 with the highest scores.");
    }
    if (ignored > 0 && mode_ == ProtocolMode::strict) {
        list.push_back(counted(ignored, "face is", "faces are") +
                       " marked \"ignore\" and counted all the same, as by pycocotools.");
    }
    return list;
}

}  // namespace

std::unique_ptr<ProtocolEvaluation> evaluate_coco(const std::vector<ProtocolImage>& images,
                                                  ProtocolMode mode) {
    return std::make_unique<CocoEvaluation>(images, mode);
}

}  // namespace fovea
