#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kernels/haar_lbp/cascade.hpp"
#include "lib/json/json_fwd.hpp"
#include "lib/train/cascade/cascade_config.hpp"
#include "lib/train/cascade/mine_windows.hpp"

namespace fovea {

/// A cascade's decisions on windows that it was not trained on (Andargie 2019, table 5.2).
struct WindowTestResult {
    std::size_t true_positives = 0, false_positives = 0, true_negatives = 0, false_negatives = 0;

    double accuracy() const;
    double precision() const;  ///< not a number if no window is taken for the object
    double recall() const;
    /// The harmonic mean of precision and recall, 2 TP / (2 TP + FP + FN); not a number without positives
    /// and alarms.
    double f1() const;
};

/// "98 of 100 positives and 3 of 200 other windows pass: precision ...".
std::string window_test_sentence(const WindowTestResult& result);

Json window_test_to_json(const WindowTestResult& result);

/// Tests a cascade. \param cascade with thresholds as a file has them. \param positives, negatives
/// windows, [sample][y][x].
WindowTestResult test_cascade(const Cascade& cascade, std::span<const std::uint8_t> positives,
                              std::span<const std::uint8_t> negatives);

/// The negatives of the test: windows of all places and sizes, drawn uniformly, also windows without
/// contrast. Each is drawn once, and windows on annotated objects are left out.
/// \return [sample][y][x]; fewer if the images have no more.
std::vector<std::uint8_t> test_negatives(const CascadeTrainConfig& config,
                                         const std::vector<BackgroundImage>& backgrounds,
                                         std::size_t positives);

}  // namespace fovea
