#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kernels/windows/levels.hpp"
#include "kernels/windows/window_trace.hpp"

namespace fovea {

/// A window on which two traces differ.
struct TraceDifference {
    int level = 0;
    float scale = 1;  ///< original pixels per level pixel
    int x = 0;        ///< top left corner, level pixels
    int y = 0;
    std::int16_t first_stages = 0;  ///< as WindowTrace::Level::stages_passed
    std::int16_t second_stages = 0;
    double first_sum = 0;
    double second_sum = 0;
};

/// How two traces of an image agree on its windows.
struct TraceComparison {
    std::size_t windows = 0;    ///< compared: all windows of all levels
    std::size_t evaluated = 0;  ///< of these, neither skipped nor flat in the first trace
    std::size_t differing = 0;
    std::vector<TraceDifference> differences;  ///< the first ones, by level, y, x
    /// A sentence if the levels differ; nothing else is compared then.
    std::string different_shape;

    bool equal() const { return differing == 0 && different_shape.empty(); }
};

/// Compares two traces of the same image, the sums by their bits.
/// \param levels that both were made of. \param max_listed differences that are kept; all are counted.
TraceComparison compare_traces(const WindowTrace& first, const WindowTrace& second,
                               std::span<const PyramidLevel> levels, std::size_t max_listed);

/// "skipped", "flat", or "passed N stages, last sum S" with all digits of S.
std::string describe_window(std::int16_t stages_passed, double last_sum);

}  // namespace fovea
