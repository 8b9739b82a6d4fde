// The search for splits on a GPU beside the CPU's. Cases tagged [cuda-small] are few and small enough for
// compute-sanitizer.

#include "kernels/boost/gpu_feature_bins.hpp"

#include <random>

#include <catch2/catch.hpp>

#include "kernels/boost/split_search.hpp"
#include "tests/kernels/boost/boost_samples.hpp"
#include "tests/support/gpu.hpp"

using namespace fovea;
using namespace fovea::test;

namespace {

struct ChosenSamples {
    std::vector<std::uint32_t> samples;
    std::vector<BoostWeight> weights;
};

/// \param share of the samples. \param has_signs responses are ± the weight, else anything in between.
ChosenSamples choose(std::size_t count, double share, bool has_signs, std::uint32_t seed) {
    std::mt19937 random(seed);
    ChosenSamples chosen;
    const auto most = static_cast<std::uint32_t>(BoostWeight::max_sum / static_cast<std::int64_t>(count + 1));
    for (std::uint32_t i = 0; i < count; ++i) {
        if (double(random() % 1000) >= 1000 * share) continue;
        const auto weight = static_cast<std::int32_t>(random() % 4 == 0 ? 0 : random() % most);
        const auto any = static_cast<std::int32_t>(random() % most);
        const std::int32_t size = has_signs ? weight : any;
        chosen.samples.push_back(i);
        chosen.weights.push_back({weight, random() % 2 == 0 ? size : -size});
    }
    return chosen;
}

/// All splits of the CPU, which the scores of the GPU must equal to the bit.
void compare(const Device& gpu, const WindowFeatures& pool, std::size_t count, std::size_t max_bytes) {
    const SampleIntegrals integrals(pool.window, random_windows(pool.window, count, 5), pool.has_tilted());
    const FeatureBins bins(integrals, pool, std::size_t{1} << 28);
    const auto on_gpu = cuda_backend::make_gpu_feature_bins(gpu, integrals, pool, max_bytes);
    std::uint32_t seed = 0;
    for (const double share : {1.0, 0.3, 0.0}) {
        for (const bool has_signs : {true, false}) {
            for (const SplitCriterion criterion :
                 {SplitCriterion::squares, SplitCriterion::gini, SplitCriterion::error}) {
                CAPTURE(count, max_bytes, share, has_signs, static_cast<int>(criterion));
                const auto [samples, weights] = choose(count, share, has_signs, ++seed);
                std::vector<double> expected(pool.size());
                for (const FeatureSplit& split : best_splits(bins, samples, weights, criterion, pool.size()))
                    expected[split.feature] = split.score;
                const auto scores = on_gpu->scores(samples, weights, criterion);
                REQUIRE(std::vector<double>(scores.begin(), scores.end()) == expected);
            }
        }
    }
}

}  // namespace

TEST_CASE("splits on a GPU have the CPU's scores", "[boost][cuda]") {
    const auto gpu = test::gpu();
    if (!gpu) return;
    for (const std::size_t count : {1, 2, 63, 256, 1021, 5000}) {
        compare(*gpu, haar_features({12, 10}, HaarPool::all), count, std::size_t{1} << 30);
        compare(*gpu, lbp_features({12, 10}), count, std::size_t{1} << 30);
    }
    compare(*gpu, haar_features({24, 24}, HaarPool::oro), 700, std::size_t{1} << 30);
}

TEST_CASE("splits on a GPU whose memory does not hold all bins", "[boost][cuda]") {
    const auto gpu = test::gpu();
    if (!gpu) return;
    for (const std::size_t max_bytes : {0, 300'000}) {
        compare(*gpu, haar_features({12, 10}, HaarPool::core), 1000, max_bytes);
        compare(*gpu, lbp_features({12, 10}), 1000, max_bytes);
    }
    // 256 MB of bins at once are less than all of them.
    compare(*gpu, haar_features({20, 20}, HaarPool::basic), 6000, 0);
}

TEST_CASE("splits on a GPU, small", "[boost][cuda][cuda-small]") {
    const auto gpu = test::gpu();
    if (!gpu) return;
    compare(*gpu, haar_features({6, 6}, HaarPool::all), 70, std::size_t{1} << 20);
    compare(*gpu, lbp_features({6, 6}), 70, 4096);
}

TEST_CASE("the best splits on a GPU are the CPU's, subsets and order included", "[boost][cuda]") {
    const auto gpu = test::gpu();
    if (!gpu) return;
    for (const WindowFeatures& pool : {haar_features({10, 10}, HaarPool::all), lbp_features({10, 10})}) {
        const SampleIntegrals integrals(pool.window, random_windows(pool.window, 400, 6), pool.has_tilted());
        const FeatureBins on_cpu(integrals, pool, std::size_t{1} << 28);
        const FeatureBins on_gpu(integrals, pool, std::size_t{1} << 28, &*gpu);
        const auto [samples, weights] = choose(400, 0.6, true, 7);
        for (const std::size_t most : {1, 16, 1'000'000}) {
            const auto expected = best_splits(on_cpu, samples, weights, SplitCriterion::squares, most);
            const auto splits = best_splits(on_gpu, samples, weights, SplitCriterion::squares, most);
            REQUIRE(splits.size() == expected.size());
            for (std::size_t i = 0; i < splits.size(); ++i) {
                REQUIRE(splits[i].feature == expected[i].feature);
                REQUIRE(splits[i].score == expected[i].score);
                REQUIRE(splits[i].subset == expected[i].subset);
            }
        }
    }
}
