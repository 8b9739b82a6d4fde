#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "lib/core/text.hpp"
#include "lib/evaluate/protocols/eye_distance.hpp"
#include "lib/evaluate/protocols/merged_steps.hpp"
#include "lib/evaluate/protocols/protocol.hpp"
#include "lib/evaluate/protocols/s_eyes_pairs.hpp"
#include "lib/evaluate/statistics/rates.hpp"

namespace fovea {
namespace {

constexpr std::array<int, 6> s_eyes_false_positives{5, 16, 32, 100, 500, 1000};

OptimalTrace trace_s_eyes(const ProtocolImage& image, std::size_t index, ProtocolMode mode) {
    check_finite(*image.sample, image.detections);
    std::vector<Detection> averages = average_overlapping(image.detections, mode);
    std::vector<std::size_t> order(averages.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    OptimalTrace result = trace_optimal_pairs(*image.sample, index, averages,
                                              s_eyes_pairs(image.sample->faces, averages, mode), order);
    result.trace.outcome.hold(std::move(averages));
    return result;
}

// S_eyes. For trace(), a face is found by the average whose S_eyes with it is below 0.5; the IoU is that of
// the boxes.
class SEyesEvaluation : public ProtocolEvaluation {
  public:
    SEyesEvaluation(const std::vector<ProtocolImage>& images, ProtocolMode mode)
        : traces_(traces_of(images.size(), [&](std::size_t i) { return trace_s_eyes(images[i], i, mode); })),
          merged_(traces_) {
        for (const ProtocolImage& image : images) {
            int faces = 0;
            for (const Face& face : image.sample->faces) {
                if (face.ignore) continue;
                ++faces;
                faces_by_box_ += !face.eyes && !eyes_of_landmarks(face.landmarks) ? 1 : 0;
            }
            faces_.push_back(faces);
            for (const Detection& detection : image.detections) {
                detections_by_box_ += eyes_of_landmarks(detection.details->landmarks) ? 0 : 1;
            }
        }
        quantities_ = {
            {"detection_rate", "Detection rate",
             "Faces found (S_eyes < 0.5) / faces, with every detection kept.", Better::higher, Unit::share},
            {"mean_s_eyes", "Mean S_eyes",
             "Mean S_eyes of the faces found with their averaged detections, in [0, 0.5).", Better::lower,
             Unit::number}};
        for (const int point : s_eyes_false_positives) {
            const std::string n = std::to_string(point);
            quantities_.push_back({"detection_rate_at_" + n + "_fp", "Detection rate at " + n + " FP",
                                   "Largest detection rate at any threshold with at most " + n +
                                       " false positives in all images.",
                                   Better::higher, Unit::share});
        }
        for (Quantity& statistic : quantities_) {
            if (statistic.is_share()) statistic.trials = std::accumulate(faces_.begin(), faces_.end(), 0.0);
        }
    }

    std::size_t units() const override { return traces_.size(); }
    const std::vector<Quantity>& quantities() const override { return quantities_; }

    void evaluate(Weights weights, std::span<double> values) const override {
        double faces = 0;
        for (std::size_t i = 0; i < faces_.size(); ++i) faces += weights[i] * faces_[i];
        const MergedSteps::Result totals = merged_.totals(weights, s_eyes_false_positives);
        const auto found = static_cast<double>(totals.last.true_positives);
        values[0] = defined_rate(found, faces);
        values[1] = defined_rate(static_cast<double>(totals.last.value) / units_per_one, found);
        for (std::size_t i = 0; i < totals.best.size(); ++i) {
            values[2 + i] = defined_rate(static_cast<double>(totals.best[i].true_positives), faces);
        }
    }

    ImageTrace trace(std::size_t image) const override { return traces_[image].trace; }

    std::vector<std::string> warnings() const override {
        std::vector<std::string> list;
        const auto warn = [&](std::size_t count, const char* noun) {
            if (count == 0) return;
            list.push_back("The eyes of " + counted(count, noun) +
                           (count == 1 ? " are where its box has them" : " are where their boxes have them") +
                           " by convention, as nothing else gives them.");
        };
        warn(faces_by_box_, "face");
        warn(detections_by_box_, "detection");
        return list;
    }

  private:
    std::vector<OptimalTrace> traces_;
    MergedSteps merged_;
    std::vector<int> faces_;
    std::size_t faces_by_box_ = 0;
    std::size_t detections_by_box_ = 0;
    std::vector<Quantity> quantities_;
};

}  // namespace

std::unique_ptr<ProtocolEvaluation> evaluate_s_eyes(const std::vector<ProtocolImage>& images,
                                                    ProtocolMode mode) {
    return std::make_unique<SEyesEvaluation>(images, mode);
}

}  // namespace fovea
