#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/haar_lbp/cascade.hpp"
#include "lib/core/job_hooks.hpp"
#include "lib/train/cascade/mine_windows.hpp"

namespace fovea {

/// A point of a window-level ROC.
struct RatePoint {
    double false_alarm = 0;  ///< share of the windows of the backgrounds that pass
    double hit_rate = 0;     ///< share of the positives that pass
};

/// The decisions of a cascade on windows: positives, and all windows that a scan visits in backgrounds.
struct CascadeRates {
    std::size_t positives = 0;
    std::size_t images = 0;
    std::int64_t windows = 0;            ///< visited in the images, annotated objects left out
    std::int64_t flat = 0;               ///< of these, without contrast (Haar)
    std::vector<std::int64_t> rejected;  ///< of these, by the stage that rejected them
    std::int64_t passed = 0;
    std::vector<RatePoint> stages;  ///< behind each stage
    /// The points of the last stage by falling threshold, from (0, 0) to the point of the stage before it.
    std::vector<RatePoint> last_stage;

    /// Share of the windows that a stage (from 0) rejects (Oro et al. 2012, figure 7).
    double rejection(std::size_t stage) const;
};

struct CascadeRatesOptions {
    double scale_factor = 1.1;
    double max_object_iou = 0.2;  ///< as WindowMiningSettings has it
    /// Images beyond are left out evenly; at least one stays.
    std::int64_t max_pixels = 40'000'000;
};

/// Runs a cascade on windows. \param cascade with thresholds as a file has them, at least one stage.
/// \param positives windows, [sample][y][x]. \param images at least one.
/// \param progress called with the images done and all; may throw to stop.
CascadeRates cascade_rates(const Cascade& cascade, std::span<const std::uint8_t> positives,
                           const std::vector<BackgroundImage>& images, const CascadeRatesOptions& options,
                           const CountProgress& progress = {});

}  // namespace fovea
