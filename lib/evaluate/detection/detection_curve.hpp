#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "lib/evaluate/detection/detection.hpp"
#include "lib/evaluate/statistics/resample.hpp"
#include "lib/evaluate/statistics/segment_counts.hpp"

namespace fovea {

/// The numbers of every detection protocol but the rates at numbers of false positives.
const std::vector<Quantity>& shared_quantities();

/// The largest detection rate with at most so many false positives: "rate_at_16_fp".
Quantity rate_quantity(int false_positives);

/// The merged curve of all images by falling score, for any weights of the images. Most detections of a large
/// set are false positives: of such a detection only the image is kept. The curve gets a point only where
/// something else changes, because a point that adds false positives alone is never better than the point
/// before it.
class CurveSteps {
  public:
    /// The gain of the counts at one place of the curve.
    struct Gain {
        std::uint32_t image = 0;  ///< 0 ... number of images - 1
        std::int16_t true_positives = 0;
        std::int16_t false_positives = 0;
        double iou = 0;  ///< what the sum of the continuous score's IoU gains
    };

    /// Takes memory for so many places, of which nearly all are false positives.
    void reserve(std::size_t places) { false_positives_.reserve(places); }

    /// Adds the next place. \param ends_score the last place of its score.
    void add(const Gain& gain, bool ends_score);

  private:
    friend class DetectionCurve;
    /// A score at which more than false positives come.
    struct Place {
        std::size_t false_positives_end = 0;  ///< in false_positives_
        std::size_t gains_end = 0;            ///< in gains_
    };

    std::vector<std::uint32_t> false_positives_;  ///< the image of each that comes alone
    std::vector<Gain> gains_;
    std::vector<Place> places_;
};

/// The contribution of an image beside its steps.
struct CurveImage {
    int faces = 0;           ///< counted ones
    int true_positives = 0;  ///< at the lowest threshold
    int false_positives = 0;
    double iou_sum = 0;  ///< of the true positives at the lowest threshold
    /// Sum over the pairs that the continuous score counts; under most protocols equal to iou_sum.
    double continuous_sum = 0;
};

/// The numbers that every detection protocol shares, for resampling: the numbers of DetectionEvaluation by
/// the same definitions, then the curves' bands.
///
/// Statistics, in this order: detection_rate, precision, f1, false_positives_per_image, mean_iou,
/// continuous_rate, best_f1, average_precision; then the detection rates at `false_positive_points`, at
/// `band_points`, the continuous rates at `band_points`, and the precision envelope at the recalls k / 50
/// (k = 1 ... 50).
class DetectionCurve : public BootstrapStatistics {
  public:
    static constexpr int recall_points = 50;

    DetectionCurve(CurveSteps steps, std::vector<CurveImage> images, std::vector<int> false_positive_points,
                   std::vector<int> band_points);

    std::size_t units() const override { return images_.size(); }
    const std::vector<Quantity>& quantities() const override { return quantities_; }
    void evaluate(Weights weights, std::span<double> values) const override;

    // The beginnings of the groups of statistics.
    std::size_t first_point() const { return 8; }
    std::size_t first_band() const { return first_point() + false_positive_points_.size(); }
    std::size_t first_continuous() const { return first_band() + band_points_.size(); }
    std::size_t first_recall() const { return first_continuous() + band_points_.size(); }

  private:
    struct Point {
        std::int32_t true_positives = 0;
        std::int32_t false_positives = 0;
        double iou = 0;
    };
    template <class Found>
    static void rates_at(const std::vector<Point>& curve, const std::vector<int>& allowed, double faces,
                         Found Point::*found, std::span<double> rates);

    void count_crowds();

    CurveSteps steps_;
    /// Places of steps_ before which so many false positives come that the counts of their images are added.
    std::vector<std::size_t> crowded_;
    std::optional<SegmentCounts> crowds_;  ///< a segment for each of these places
    std::vector<CurveImage> images_;
    std::vector<int> false_positive_points_;
    std::vector<int> band_points_;
    std::vector<Quantity> quantities_;
};

/// At most 60 numbers of false positives from 0 to `most`, dense at the small ones, as the ROC's axis is.
std::vector<int> band_points(int most);

}  // namespace fovea
