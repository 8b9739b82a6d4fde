#include <algorithm>
#include <charconv>
#include <limits>
#include <numeric>

#include <tbb/parallel_for.h>

#include "lib/core/text.hpp"
#include "lib/evaluate/coco_curve.hpp"
#include "lib/evaluate/coco_match.hpp"
#include "lib/evaluate/protocol.hpp"

namespace fovea {
namespace {

constexpr double undefined = std::numeric_limits<double>::quiet_NaN();

// numpy's sum of contiguous doubles, which a mean is made of: eight running sums up to 128 numbers, halves of a
// multiple of eight beyond.
double numpy_sum(std::span<const double> values) {
    if (values.size() < 8) return std::accumulate(values.begin(), values.end(), 0.0);
    if (values.size() > 128) {
        const std::size_t half = values.size() / 2 / 8 * 8;
        return numpy_sum(values.first(half)) + numpy_sum(values.subspan(half));
    }
    std::array<double, 8> sums{};
    const std::size_t whole = values.size() / 8 * 8;
    for (std::size_t i = 0; i < whole; ++i) sums[i % 8] += values[i];
    const double sum =
        ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
    return std::accumulate(values.begin() + static_cast<std::ptrdiff_t>(whole), values.end(), sum);
}

double numpy_mean(std::span<const double> values) {
    return numpy_sum(values) / static_cast<double>(values.size());
}

std::vector<Statistic> make_statistics() {
    const std::string precision = "Mean precision (envelope) at the recalls 0, 0.01 ... 1";
    const std::string all_thresholds = ", mean over the IoU thresholds 0.5, 0.55 ... 0.95";
    const std::string recall = "Faces found / faces" + all_thresholds;
    const std::string small = ", faces below 32² pixels";
    const std::string medium = ", faces from 32² to 96² pixels";
    const std::string large = ", faces from 96² pixels";
    const std::string at_most_100 = "; at most 100 detections an image.";
    return {
        {"ap", "AP", precision + all_thresholds + at_most_100, true, false},
        {"ap_50", "AP50", precision + " at IoU 0.5" + at_most_100, true, false},
        {"ap_75", "AP75", precision + " at IoU 0.75" + at_most_100, true, false},
        {"ap_small", "AP small", precision + all_thresholds + small + at_most_100, true, false},
        {"ap_medium", "AP medium", precision + all_thresholds + medium + at_most_100, true, false},
        {"ap_large", "AP large", precision + all_thresholds + large + at_most_100, true, false},
        {"ar_1", "AR1", recall + "; the best detection of every image.", true, false},
        {"ar_10", "AR10", recall + "; at most 10 detections an image.", true, false},
        {"ar_100", "AR100", recall + at_most_100, true, false},
        {"ar_small", "AR small", recall + small + at_most_100, true, false},
        {"ar_medium", "AR medium", recall + medium + at_most_100, true, false},
        {"ar_large", "AR large", recall + large + at_most_100, true, false},
    };
}

std::optional<std::int64_t> image_id(const Sample& sample) {
    const std::string* text = find_attribute(sample.attributes, id_attribute);
    if (text == nullptr) return std::nullopt;
    std::int64_t id = 0;
    const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), id);
    if (error != std::errc() || end != text->data() + text->size()) return std::nullopt;
    return id;
}

// By image id where every image has one, else as given.
std::vector<std::uint32_t> image_order(const std::vector<ProtocolImage>& images) {
    std::vector<std::uint32_t> order(images.size());
    std::iota(order.begin(), order.end(), 0u);
    std::vector<std::int64_t> ids;
    for (const ProtocolImage& image : images) {
        const std::optional<std::int64_t> id = image_id(*image.sample);
        if (!id) return order;
        ids.push_back(*id);
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return ids[a] < ids[b]; });
    return order;
}

std::vector<CocoImage> match_all(const std::vector<ProtocolImage>& images, ProtocolMode mode) {
    std::vector<CocoImage> matched(images.size());
    for (const ProtocolImage& image : images) check_finite(*image.sample, *image.detections);
    tbb::parallel_for(std::size_t{0}, images.size(), [&](std::size_t i) {
        matched[i] = match_coco(*images[i].sample, *images[i].detections, mode);
    });
    return matched;
}

class CocoEvaluation : public ProtocolEvaluation {
  public:
    CocoEvaluation(const std::vector<ProtocolImage>& images, ProtocolMode mode)
        : images_(images),
          mode_(mode),
          statistics_(make_statistics()),
          curve_(match_all(images, mode), image_order(images), mode) {}

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
    const auto precision_at = [&](std::size_t threshold) {
        return numpy_mean(std::span(curves.precision[0]).subspan(threshold * coco_recalls, coco_recalls));
    };
    const std::array<double, 12> numbers{numpy_mean(curves.precision[0]),
                                         precision_at(0),
                                         precision_at(5),
                                         numpy_mean(curves.precision[1]),
                                         numpy_mean(curves.precision[2]),
                                         numpy_mean(curves.precision[3]),
                                         numpy_mean(curves.recall_of_1),
                                         numpy_mean(curves.recall_of_10),
                                         numpy_mean(curves.recall[0]),
                                         numpy_mean(curves.recall[1]),
                                         numpy_mean(curves.recall[2]),
                                         numpy_mean(curves.recall[3])};
    constexpr std::array<std::size_t, 12> areas{0, 0, 0, 1, 2, 3, 0, 0, 0, 1, 2, 3};
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        values[i] = curves.faces[areas[i]] > 0 ? numbers[i] : undefined;
    }
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
