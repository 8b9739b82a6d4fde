#include <cmath>

#include "lib/core/text.hpp"
#include "lib/evaluate/protocols/face_eval.hpp"
#include "lib/evaluate/protocols/protocol.hpp"

namespace fovea {
namespace {

// AFW and PASCAL faces. The trace is of the detections as the last round has them; IoU in it is the toolbox's
// overlap.
class FaceEvalEvaluation : public ProtocolEvaluation {
  public:
    explicit FaceEvalEvaluation(const std::vector<ProtocolImage>& images)
        : images_(images), detections_(counted_detections(images)) {
        for (const ProtocolImage& image : images) check_finite(*image.sample, image.detections);
        result_ = evaluate_face_eval(images_, detections_, std::vector<std::uint16_t>(images.size(), 1));
        const std::string rest =
            ": area under the monotone precision envelope, overlap above 0.5; faces below 30 pixels and "
            "detections up to 21 pixels are left out.";
        quantities_ = {
            {"ap", "AP",
             "Average precision of detections that are moved and scaled to fit the annotation" + rest,
             Better::higher, Unit::number},
            {"ap_unmoved", "AP, boxes unmoved", "Average precision of detections as they are" + rest,
             Better::higher, Unit::number}};
        for (std::size_t i = 0; i < images.size(); ++i) of_image_.emplace_back();
        for (std::size_t i = 0; i < result_.detections.size(); ++i) {
            of_image_[result_.detections[i].image].push_back(i);
        }
    }

    std::size_t units() const override { return images_.size(); }
    const std::vector<Quantity>& quantities() const override { return quantities_; }

    void evaluate(Weights weights, std::span<double> values) const override {
        const FaceEvalResult result = evaluate_face_eval(images_, detections_, weights);
        values[0] = result.average_precision;
        values[1] = result.unmoved_average_precision;
    }

    bool counts(const Face& face) const override { return !is_left_out(face); }

    ImageTrace trace(std::size_t image) const override {
        const Sample& sample = *images_[image].sample;
        const std::span<const Detection> given = images_[image].detections;
        std::vector<Detection> moved(given.begin(), given.end());
        for (const std::size_t i : of_image_[image]) {
            moved[result_.detections[i].index].box = result_.detections[i].box();
        }
        ImageTrace trace = start_trace(sample, image, moved);
        ImageEvaluation& outcome = trace.outcome;
        std::vector<double> best_iou = outcome.best_iou.all();
        for (const std::size_t i : of_image_[image]) {
            const MovedDetection& detection = result_.detections[i];
            const FaceEvalMatch& match = result_.matches[i];
            outcome.outcomes[detection.index] = match.outcome;
            best_iou[detection.index] = match.overlap;
            const bool is_found = match.outcome == DetectionMatch::true_positive;
            if (is_found) {
                const auto face = static_cast<std::size_t>(match.face);
                trace.change(face, match.overlap);
                trace.face_iou[face] = match.overlap;
                outcome.face_match[face] = static_cast<int>(detection.index);
            }
            trace.add_step(detection.score, is_found ? 1 : 0,
                           match.outcome == DetectionMatch::false_positive ? 1 : 0);
        }
        outcome.best_iou = SparseValues(best_iou);
        outcome.hold(std::move(moved));
        return trace;
    }

    std::vector<std::string> warnings() const override {
        std::vector<std::string> list;
        const BoxAdaptation& by = result_.adaptation;
        list.push_back("All detections were moved by " + shortest_number(rounded(by.shift_x)) +
                       " of their width and " + shortest_number(rounded(by.shift_y)) +
                       " of their height, and scaled by " + shortest_number(rounded(by.scale_x)) + " and " +
                       shortest_number(rounded(by.scale_y)) +
                       ", to fit the annotation; pictures show them so.");
        std::size_t all = 0;
        for (const ProtocolImage& image : images_) all += image.detections.size();
        if (const std::size_t small = all - detections_.size(); small > 0) {
            list.push_back(counted(small, "detection") + " of at most 21 pixels " +
                           (small == 1 ? "is" : "are") + " left out.");
        }
        return list;
    }

  private:
    static double rounded(double value) { return std::round(value * 1000) / 1000; }

    const std::vector<ProtocolImage>& images_;
    std::vector<MovedDetection> detections_;  // unmoved
    FaceEvalResult result_;                   // of every image once
    std::vector<std::vector<std::size_t>> of_image_;
    std::vector<Quantity> quantities_;
};

}  // namespace

std::unique_ptr<ProtocolEvaluation> evaluate_face_eval(const std::vector<ProtocolImage>& images) {
    return std::make_unique<FaceEvalEvaluation>(images);
}

}  // namespace fovea
