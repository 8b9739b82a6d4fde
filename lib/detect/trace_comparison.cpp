#include "lib/detect/trace_comparison.hpp"

#include <bit>

#include <spdlog/fmt/fmt.h>

namespace fovea {
namespace {

std::string describe_shape_difference(const WindowTrace& first, const WindowTrace& second,
                                      std::span<const PyramidLevel> levels) {
    if (first.levels.size() != levels.size() || second.levels.size() != levels.size()) {
        return fmt::format("there are {} levels, but the traces have {} and {}", levels.size(),
                           first.levels.size(), second.levels.size());
    }
    for (std::size_t i = 0; i < levels.size(); ++i) {
        const WindowTrace::Level& a = first.levels[i];
        const WindowTrace::Level& b = second.levels[i];
        const auto complete = [](const WindowTrace::Level& level) {
            const std::size_t windows =
                static_cast<std::size_t>(level.windows_per_row) * static_cast<std::size_t>(level.window_rows);
            return level.stages_passed.size() == windows && level.last_sums.size() == windows;
        };
        if (a.windows_per_row != b.windows_per_row || a.window_rows != b.window_rows || !complete(a) ||
            !complete(b)) {
            return fmt::format(
                "level {} has {}x{} windows in one trace ({} recorded), {}x{} in the other ({})", i,
                a.windows_per_row, a.window_rows, a.stages_passed.size(), b.windows_per_row, b.window_rows,
                b.stages_passed.size());
        }
    }
    return {};
}

}  // namespace

TraceComparison compare_traces(const WindowTrace& first, const WindowTrace& second,
                               std::span<const PyramidLevel> levels, std::size_t max_listed) {
    TraceComparison comparison;
    comparison.different_shape = describe_shape_difference(first, second, levels);
    if (!comparison.different_shape.empty()) return comparison;
    for (std::size_t l = 0; l < levels.size(); ++l) {
        const WindowTrace::Level& a = first.levels[l];
        const WindowTrace::Level& b = second.levels[l];
        comparison.windows += a.stages_passed.size();
        for (std::size_t i = 0; i < a.stages_passed.size(); ++i) {
            if (a.stages_passed[i] >= 0) ++comparison.evaluated;
            // The bits are compared: 0 and -0 would be written differently.
            if (a.stages_passed[i] == b.stages_passed[i] &&
                std::bit_cast<std::uint64_t>(a.last_sums[i]) ==
                    std::bit_cast<std::uint64_t>(b.last_sums[i])) {
                continue;
            }
            ++comparison.differing;
            if (comparison.differences.size() >= max_listed) continue;
            const int column = static_cast<int>(i % static_cast<std::size_t>(a.windows_per_row));
            const int row = static_cast<int>(i / static_cast<std::size_t>(a.windows_per_row));
            comparison.differences.push_back({static_cast<int>(l), levels[l].scale, column * levels[l].step,
                                              row * levels[l].step, a.stages_passed[i], b.stages_passed[i],
                                              a.last_sums[i], b.last_sums[i]});
        }
    }
    return comparison;
}

std::string describe_window(std::int16_t stages_passed, double last_sum) {
    if (stages_passed == WindowTrace::skipped) return "skipped";
    if (stages_passed == WindowTrace::flat) return "flat";
    return fmt::format("passed {} stages, last sum {:.17g}", stages_passed, last_sum);
}

}  // namespace fovea
