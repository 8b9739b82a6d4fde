#pragma once

#include <cstdint>
#include <vector>

namespace fovea {

/// The fate of every window of an image, level by level. It serves to compare two backends and to count the
/// rejections of each stage.
struct WindowTrace {
    static constexpr std::int16_t skipped = -2;  ///< not visited: the window before was rejected by stage 0
    static constexpr std::int16_t flat = -1;     ///< not evaluated: σ <= 10 grey levels (Haar)

    struct Level {
        int windows_per_row = 0;
        int window_rows = 0;
        /// Row by row: `skipped`, `flat`, or the number of stages that the window passed. A window that
        /// passed k stages of n was rejected by stage k (from 0) if k < n.
        std::vector<std::int16_t> stages_passed;
        /// Sum of the leaves of the last stage that was evaluated; 0 where no stage was.
        std::vector<double> last_sums;

        friend bool operator==(const Level&, const Level&) = default;
    };
    std::vector<Level> levels;

    friend bool operator==(const WindowTrace&, const WindowTrace&) = default;
};

}  // namespace fovea
