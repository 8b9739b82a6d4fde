#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "kernels/engine/engine.hpp"

namespace fovea {

/// How often to measure: `most` times or, with a budget, as often as it allows, but at least `least` times.
struct Repetitions {
    int most = 20;  ///< at least 1
    int least = 3;
    double budget_ms = 0;  ///< 0 = none

    bool enough(int done, double elapsed_ms) const {
        return done >= most || (budget_ms > 0 && done >= least && elapsed_ms >= budget_ms);
    }
};

/// A part of the work, with its names in reports.
struct BenchmarkPart {
    const char* name;  ///< for people
    const char* key;   ///< for programs
    std::vector<double> EngineTimes::*times;
    bool whole;  ///< it is the whole work in some form, not a piece of it
};

inline constexpr std::size_t benchmark_part_count = 8;

/// The parts in the order of the work: upload, preprocessing, scan, grouping, download; then the wholes:
/// resident, from pinned memory, total. If the first five were measured and do not overlap, their sum is
/// about the total.
const std::array<BenchmarkPart, benchmark_part_count>& benchmark_parts();

using ImageViews = std::vector<ImageView<const std::uint8_t>>;

/// Measures an engine on groups of images, with one call of CascadeEngine::measure() per group; a repetition
/// is all groups. It works in pieces of about a quarter of a second, so that it can be interrupted soon.
///
/// \param cancelled    is called between pieces
/// \param expected_ms  the time of one repetition, for the size of the first piece; 0 = not known:
/// one repetition
/// \return milliseconds per image (a repetition's time divided by the number of images in all groups). A part
/// that one group lacks is left out.
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
