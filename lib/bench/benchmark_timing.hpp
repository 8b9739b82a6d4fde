#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "kernels/engine/engine.hpp"

namespace fovea {

/// How often to measure: `most` times, or, with a budget, as often as fits into it, but `least` times.
struct Repetitions {
    int most = 20;  ///< at least 1
    int least = 3;
    double budget_ms = 0;  ///< 0 = none

    bool enough(int done, double elapsed_ms) const {
        return done >= most || (budget_ms > 0 && done >= least && elapsed_ms >= budget_ms);
    }
};

/// One part of the work as reports name it.
struct BenchmarkPart {
    const char* name;  ///< for people
    const char* key;   ///< for programs
    std::vector<double> EngineTimes::*times;
    bool whole;  ///< all of the work by some way, not a piece of it
};

inline constexpr std::size_t benchmark_part_count = 8;

/// In the order of the work: upload, preprocessing, scan, grouping, download; then the wholes: resident, from
/// pinned memory, total. The first five add up to about the total where they were measured and do not
/// overlap.
const std::array<BenchmarkPart, benchmark_part_count>& benchmark_parts();

using ImageViews = std::vector<ImageView<const std::uint8_t>>;

/// Measures an engine on groups of images, one call of CascadeEngine::measure a group; a repetition is all
/// groups. Works in pieces of about a quarter of a second, so that an interruption is soon heard.
///
/// \param cancelled asked between pieces, not before the first.
/// \param expected_ms of one repetition, for the first piece; 0 = not known: it is one repetition.
/// \return milliseconds an image (a repetition's time over the number of images in all groups). A part that
/// is missing for one group is missing.
EngineTimes measure_groups(CascadeEngine& engine, std::span<const ImageViews> groups, const CascadeScan& scan,
                           const Repetitions& repetitions, const std::function<bool()>& cancelled,
                           double expected_ms = 0);

/// Wall clock time of some work, milliseconds.
template <class Work>
double time_ms(const Work& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace fovea
