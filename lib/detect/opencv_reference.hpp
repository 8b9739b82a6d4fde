#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include <opencv2/objdetect.hpp>

#include "kernels/core/view.hpp"
#include "lib/core/types.hpp"
#include "lib/detect/detector.hpp"

namespace fovea {

/// The linked OpenCV's own cascade detector, with which a Detector is compared.
///
/// Not for several threads at once: OpenCV's object keeps the image's pyramid in itself.
class OpenCvReference {
  public:
    /// \throws Error if OpenCV cannot load the cascade.
    explicit OpenCvReference(const std::filesystem::path& model);

    /// Every window that passed all stages, clipped to the image, with `stage_sum`: the sum of the last stage
    /// (levelWeights of detectMultiScale with outputRejectLevels and minNeighbors = 0).
    ///
    /// OpenCV with outputRejectLevels takes windows that it could not evaluate (flat, or at the border:
    /// result -1) for windows that reached the last stage if the cascade has only one. These are left out.
    /// \return sorted by sorted_for_comparison(); OpenCV's own order depends on its threads.
    std::vector<Detection> raw_windows(ImageView<const std::uint8_t> image, const DetectorOptions& options);

    /// Grouped boxes with `score` as options.score asks: the number of windows (then also in `neighbors`), or
    /// the largest stage sum (then also in `stage_sum`). \return sorted by sorted_for_comparison().
    /// \throws UsageError for stage sums of a one-stage cascade: OpenCV groups windows that did not pass,
    /// see above.
    std::vector<Detection> grouped(ImageView<const std::uint8_t> image, const DetectorOptions& options);

    /// detectMultiScale as users call it, without sorting or conversion: what a benchmark times.
    /// \return number of boxes.
    std::size_t detect(ImageView<const std::uint8_t> image, const DetectorOptions& options);

  private:
    void keep_passed(std::vector<Detection>& windows, ImageView<const std::uint8_t> image,
                     const DetectorOptions& options);

    cv::CascadeClassifier classifier_;
    std::filesystem::path model_;
    bool has_one_stage_ = false;
};

/// Sorts by box (y, x, w, h), then score, then stage sum, so that two sets of detections can be compared.
std::vector<Detection> sorted_for_comparison(std::vector<Detection> detections);

/// Which detections only one of two lists holds.
struct DetectionDifference {
    std::vector<Detection> only_first;
    std::vector<Detection> only_second;

    bool empty() const { return only_first.empty() && only_second.empty(); }
};

/// Which values of detections are compared.
enum class ComparedValues { box_and_stage_sum, box_and_score, box_score_and_neighbors };
/// Compares two lists as multisets. The values that `what` names must be equal to the last bit.
DetectionDifference compare_detections(std::vector<Detection> first, std::vector<Detection> second,
                                       ComparedValues what);

}  // namespace fovea
