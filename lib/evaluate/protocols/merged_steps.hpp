#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "lib/evaluate/detection/optimal_trace.hpp"
#include "lib/evaluate/statistics/resample.hpp"

namespace fovea {

/// Makes the traces of so many images on all cores. \param trace makes the trace of an image; several threads
/// call it.
std::vector<OptimalTrace> traces_of(std::size_t images,
                                    const std::function<OptimalTrace(std::size_t)>& trace);

/// The steps of all images' traces by falling score, for protocols that match anew at every threshold. They
/// give the totals of any multiset of the images.
class MergedSteps {
  public:
    /// The state at one threshold, or the largest of each number over several of them.
    struct Totals {
        std::int64_t true_positives = 0;
        std::int64_t value = 0;  ///< the protocol's sum, in 1 / units_per_one
    };
    struct Result {
        /// Parallel to `allowed`: the largest totals over the thresholds with at most so many false
        /// positives; 0 where there is no such threshold.
        std::vector<Totals> best;
        Totals last;  ///< at the lowest threshold
        std::int64_t last_false_positives = 0;
    };

    explicit MergedSteps(const std::vector<OptimalTrace>& images);

    /// The totals of a resample. \param allowed numbers of false positives, rising. Thread-safe.
    Result totals(Weights weights, std::span<const int> allowed) const;

  private:
    struct Step {
        std::int64_t value = 0;
        std::uint32_t image = 0;
        std::int16_t true_positives = 0;
        std::int16_t false_positives = 0;
        bool ends_score = false;
    };
    std::vector<Step> steps_;
};

}  // namespace fovea
