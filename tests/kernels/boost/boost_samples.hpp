#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include "kernels/core/view.hpp"

// Windows for tests of boosting: the same bytes everywhere.
namespace fovea::test {

inline std::size_t pixels_in(Size window) {
    return static_cast<std::size_t>(window.width) * static_cast<std::size_t>(window.height);
}

/// Windows of noise, of which some are flat, black, white, or black and white.
inline std::vector<std::uint8_t> random_windows(Size window, std::size_t count, std::uint32_t seed) {
    std::mt19937 random(seed);
    std::vector<std::uint8_t> pixels;
    for (std::size_t sample = 0; sample < count; ++sample) {
        const std::uint32_t kind = random() % 10;
        const auto base = static_cast<std::uint8_t>(random() % 200);
        const std::uint32_t amplitude = 1 + random() % 56;
        for (std::size_t i = 0; i < pixels_in(window); ++i) {
            const std::uint32_t value = random();
            switch (kind) {
                case 0:
                    pixels.push_back(base);
                    break;
                case 1:
                    pixels.push_back(sample % 2 == 0 ? 0 : 255);
                    break;
                case 2:
                    pixels.push_back(value % 2 == 0 ? 0 : 255);
                    break;
                case 3:
                    pixels.push_back(static_cast<std::uint8_t>(base + value % amplitude));
                    break;
                default:
                    pixels.push_back(static_cast<std::uint8_t>(value % 256));
            }
        }
    }
    return pixels;
}

/// The result of work on so many threads.
template <class Work>
auto on_threads(int threads, const Work& work) {
    tbb::task_arena arena(threads);
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                                    static_cast<std::size_t>(threads));
    return arena.execute(work);
}

}  // namespace fovea::test
