#pragma once

#include <cstdint>
#include <vector>

#include "lib/evaluate/detection/image_trace.hpp"
#include "lib/evaluate/statistics/resample.hpp"

namespace fovea {

/// The curve of recall and precision over all thresholds, and the numbers that are read off it, for any
/// multiset of the images.
class RecallPrecision {
  public:
    /// NaN where a number is undefined.
    struct Numbers {
        /// The recall that equals precision: as many detections count as there are objects. Between two
        /// thresholds it lies on the straight line between the curve's points. Undefined if even the
        /// strictest threshold has more detections, or the lowest one fewer.
        double recall_at_eer = 0;
        double best_f = 0;  ///< the largest 2 · recall · precision / (recall + precision)
        double recall_at_best_f = 0;
        double precision_at_best_f = 0;  ///< at the highest threshold that reaches it
        double recall = 0;               ///< with every detection kept
        double precision = 0;
    };

    /// \param traces of the images. \param objects number of objects in each image.
    RecallPrecision(const std::vector<ImageTrace>& traces, std::vector<int> objects);

    /// Thread-safe.
    Numbers numbers(Weights weights) const;

  private:
    struct Step {
        std::uint32_t image = 0;
        std::int16_t true_positives = 0;
        std::int16_t false_positives = 0;
        bool ends_score = false;
    };
    std::vector<Step> steps_;
    std::vector<int> objects_;
};

}  // namespace fovea
