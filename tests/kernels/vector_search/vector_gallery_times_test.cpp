// Measures neighbours(); it does not run by itself:
//   FOVEA_VECTORS=20000 fovea_tests_kernels '[.bench]' -s
// FOVEA_VECTOR_LENGTH (128), FOVEA_NEIGHBOURS (50) and FOVEA_VECTOR_DISTANCE (euclidean or cosine) may be
// set.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "kernels/core/stopwatch.hpp"
#include "kernels/vector_search/vector_search.hpp"

namespace fovea {
namespace {

std::size_t number_of(const char* variable, std::size_t otherwise) {
    const char* const value = std::getenv(variable);
    return value == nullptr ? otherwise : std::stoul(value);
}

// Groups of 20 vectors about a common one, as of photos of people, each of the length 32767 or so.
std::vector<std::int16_t> grouped_vectors(std::size_t count, std::size_t length) {
    std::mt19937 generator(1);
    std::normal_distribution<float> normal;
    std::vector<float> centre(length);
    std::vector<std::int16_t> rows;
    rows.reserve(count * length);
    const float scale = 32767 / std::sqrt(static_cast<float>(length));
    for (std::size_t i = 0; i < count; ++i) {
        for (float& value : centre) {
            if (i % 20 == 0) value = normal(generator);
            const float component = scale * (0.8F * value + 0.6F * normal(generator));
            rows.push_back(static_cast<std::int16_t>(std::min(std::max(component, -32767.0F), 32767.0F)));
        }
    }
    return rows;
}

double seconds_of(const Device& device, const std::vector<std::int16_t>& rows, std::size_t length,
                  std::size_t k, VectorDistance distance, std::vector<Neighbour>& found) {
    VectorGallery gallery(device, length, distance);
    gallery.add(rows.data(), rows.size() / length);
    double best = 0;
    for (int run = 0; run < 2; ++run) {
        found.clear();
        const Stopwatch watch;
        found = gallery.neighbours(k);
        const double seconds = watch.seconds();
        if (run == 0 || seconds < best) best = seconds;
    }
    return best;
}

}  // namespace

TEST_CASE("vector gallery: time of all neighbours", "[.bench]") {
    const std::size_t count = number_of("FOVEA_VECTORS", 20000), k = number_of("FOVEA_NEIGHBOURS", 50);
    const std::size_t length = number_of("FOVEA_VECTOR_LENGTH", 128);
    const char* const metric = std::getenv("FOVEA_VECTOR_DISTANCE");
    const VectorDistance distance = metric != nullptr && std::string(metric) == "cosine"
                                        ? VectorDistance::cosine
                                        : VectorDistance::euclidean;
    const std::vector<std::int16_t> rows = grouped_vectors(count, length);
    std::vector<Neighbour> on_cpu, on_gpu;
    if (!cuda_devices().empty()) {
        const double seconds = seconds_of(Device::cuda(0), rows, length, k, distance, on_gpu);
        WARN("GPU: " << count << " vectors of " << length << ", " << k << " neighbours: " << seconds << " s");
    }
    // The CPU takes minutes for more.
    if (count <= number_of("FOVEA_CPU_VECTORS", 100000)) {
        const double seconds = seconds_of(Device::cpu(), rows, length, k, distance, on_cpu);
        WARN("CPU: " << count << " vectors of " << length << ", " << k << " neighbours: " << seconds << " s");
        if (!on_gpu.empty()) CHECK(on_gpu == on_cpu);
    }
    CHECK(on_cpu.size() + on_gpu.size() > 0);
}

}  // namespace fovea
