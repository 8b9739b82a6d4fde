#include "kernels/measure/measure.hpp"

#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include <catch2/catch.hpp>

#include "kernels/core/stopwatch.hpp"
#include "kernels/measure/integer_simd.hpp"
#include "tests/support/gpu.hpp"

namespace fovea {
namespace {

void check_timing(const Timing& timing, std::size_t repetitions) {
    CHECK(timing.seconds.size() == repetitions);
    CHECK(timing.work > 0);
    for (const double seconds : timing.seconds) {
        CHECK(std::isfinite(seconds));
        CHECK(seconds > 0);
    }
}

// The chains of one lane, step by step.
std::uint32_t one_lane(IntegerOperation operation, std::uint32_t seed, std::uint32_t lane, int iterations) {
    std::vector<std::uint32_t> chain(12);
    std::iota(chain.begin(), chain.end(), seed + lane);
    const std::uint32_t factor = 2654435761u ^ seed;
    for (int n = 0; n < iterations; ++n) {
        for (std::size_t i = 0; i < 12; ++i) {
            const std::uint32_t neighbour = chain[(i + 1) % 12];
            chain[i] =
                operation == IntegerOperation::add ? chain[i] + neighbour : chain[i] * factor + neighbour;
        }
    }
    std::uint32_t all = 0;
    for (const std::uint32_t value : chain) all ^= value;
    return all;
}

}  // namespace

TEST_CASE("the host's integer operations are all carried out", "[measure]") {
    const std::int64_t lanes = host_integer_operations_per_iteration() / 12;
    CHECK(host_integer_operations_per_iteration() == 12 * lanes);
    for (const auto operation : {IntegerOperation::add, IntegerOperation::multiply_add}) {
        for (const int iterations : {0, 1, 2, 17, 1000}) {
            CAPTURE(static_cast<int>(operation), iterations);
            std::uint32_t expected = 0;
            for (std::uint32_t lane = 0; lane < lanes; ++lane)
                expected += one_lane(operation, 7, lane, iterations);
            CHECK(host_integer_operations(operation, 7, iterations) == expected);
        }
    }
}

TEST_CASE("a measurement runs once without the clock", "[measure]") {
    int runs = 0;
    CHECK(repeated(3, [&] { return static_cast<double>(++runs); }) == std::vector<double>{2, 3, 4});
    CHECK(repeated(0, [&] { return 1.0; }).size() == 1);
}

TEST_CASE("the number of iterations fits the time wanted", "[measure]") {
    int calls = 0;
    const auto microsecond_each = [&](int iterations) {
        ++calls;
        return 1e-6 * iterations;
    };
    CHECK(calibrated_iterations(0.02, 256, microsecond_each) == 20000);
    CHECK(calls == 4);  // 256, 512, 1024, 2048: the first that takes a tenth
    CHECK(calibrated_iterations(0.5, 256, [](int iterations) { return 1.0 * iterations; }) == 1);
    CHECK(calibrated_iterations(1e-3, 256, [](int iterations) { return 1e-15 * iterations; }) == 1 << 30);
    // A start that costs much more than an iteration must not be taken for the iterations' time.
    const auto dear_start = [](int iterations) { return 1e-5 + 1e-8 * iterations; };
    const double taken = dear_start(calibrated_iterations(0.01, 1, dear_start));
    CHECK(taken > 0.009);
    CHECK(taken < 0.0101);
}

TEST_CASE("the host is measured", "[measure]") {
    const Timing copy = measure_host_copy(1000003, 2, 3);
    check_timing(copy, 3);
    CHECK(copy.work == 2.0 * 1000003);
    check_timing(measure_host_copy(4096, 1, 1), 1);
    const Timing add = measure_host_integer(IntegerOperation::add, 0.0005, 2);
    check_timing(add, 2);
    CHECK(std::fmod(add.work, static_cast<double>(host_integer_operations_per_iteration())) == 0);
    check_timing(measure_host_integer(IntegerOperation::multiply_add, 0.0005, 2), 2);
    CHECK_FALSE(measure_simd_target().empty());
}

TEST_CASE("a GPU is measured", "[measure][cuda]") {
    const std::optional<Device> device = test::gpu();
    if (!device) return;
    constexpr std::size_t bytes = std::size_t{4} << 20;
    for (const auto direction : {CopyDirection::upload, CopyDirection::download}) {
        for (const auto memory : {HostMemory::pinned, HostMemory::pageable}) {
            const Timing transfer = measure_transfer(*device, direction, memory, bytes, 2);
            check_timing(transfer, 2);
            CHECK(transfer.work == static_cast<double>(bytes));
        }
        check_timing(measure_transfer_latency(*device, direction, 2073600, 2), 2);
    }
    const Timing copy = measure_device_copy(*device, bytes, 2);
    check_timing(copy, 2);
    CHECK(copy.work == 2.0 * static_cast<double>(bytes));
    check_timing(measure_launches(*device, 1, false, 2), 2);
    check_timing(measure_launches(*device, 10, false, 2), 2);
    check_timing(measure_launches(*device, 10, true, 2), 2);
    check_timing(measure_device_integer(*device, IntegerOperation::add, 0.0005, 2), 2);
    check_timing(measure_device_integer(*device, IntegerOperation::multiply_add, 0.0005, 2), 2);
    check_timing(measure_shared_loads(*device, 0.0005, 2), 2);
    CHECK(free_device_memory(*device) > 0);
    CHECK(cuda_pci_bus_id(device->index()).find(':') != std::string::npos);
}

}  // namespace fovea
