#include "kernels/measure/measure.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>

#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>
#include <tbb/task_arena.h>

#include "kernels/core/stopwatch.hpp"
#include "kernels/measure/integer_simd.hpp"

namespace fovea {
namespace {

// Takes results that nobody reads, so that computing them cannot be left out.
std::atomic<std::uint32_t> sink{0};

}  // namespace

Timing measure_host_copy(std::size_t bytes, int threads, int repeat) {
    const auto from = std::make_unique<std::uint8_t[]>(bytes);
    const auto to = std::make_unique<std::uint8_t[]>(bytes);
    std::memset(from.get(), 1, bytes);  // untouched memory is one page of zeros, read again and again
    const auto parts = static_cast<std::size_t>(std::max(threads, 1));
    tbb::task_arena arena(static_cast<int>(parts));
    const auto copy_part = [&](std::size_t part) {
        const std::size_t begin = bytes / parts * part;
        const std::size_t end = part + 1 == parts ? bytes : bytes / parts * (part + 1);
        std::memcpy(to.get() + begin, from.get() + begin, end - begin);
    };
    const auto copy_all = [&] {
        tbb::parallel_for(std::size_t{0}, parts, copy_part, tbb::static_partitioner());
    };
    Timing timing{2.0 * static_cast<double>(bytes), {}};
    timing.seconds = repeated(repeat, [&] {
        const double seconds = host_seconds([&] { arena.execute(copy_all); });
        sink += to[bytes / 2];
        return seconds;
    });
    return timing;
}

Timing measure_host_integer(IntegerOperation operation, double seconds, int repeat) {
    std::uint32_t seed = 1;
    const auto seconds_of = [&](int iterations) {
        return host_seconds([&] { sink += host_integer_operations(operation, ++seed, iterations); });
    };
    const int iterations = calibrated_iterations(seconds, 1 << 12, seconds_of);
    Timing timing{static_cast<double>(iterations * host_integer_operations_per_iteration()), {}};
    timing.seconds = repeated(repeat, [&] { return seconds_of(iterations); });
    return timing;
}

}  // namespace fovea
