#include "lib/train/lbp_weights/logistic_weights.hpp"

#include <catch2/catch.hpp>
#include <tbb/task_arena.h>

#include "lib/core/error.hpp"

using namespace fovea;
using Catch::Matchers::Contains;

namespace {

// Distances 0 to 99, and 30 more; pairs of two subjects are farther apart by so much.
RegionPairs drawn_pairs(std::size_t count, const std::vector<int>& farther) {
    RegionPairs pairs;
    pairs.regions = farther.size();
    std::uint32_t state = 12345;
    for (std::size_t i = 0; i < count; ++i) {
        pairs.same.push_back(i % 2 == 1 ? 1 : 0);
        for (const int more : farther) {
            state = (1103515245U * state + 12345U) % 2147483648U;
            const int value = static_cast<int>((state >> 16) % 100);
            pairs.distances.push_back(value + 30 + (i % 2 == 1 ? 0 : more));
        }
    }
    return pairs;
}

}  // namespace

TEST_CASE("logistic weights are the minimum that SciPy finds", "[train][weights]") {
    const std::vector<double> weights = logistic_weights(drawn_pairs(60, {40, 20, 10, 0, -30}), 0.01);
    // scipy.optimize.minimize, L-BFGS-B with bounds, of the same function to a gradient of 1e-10.
    const std::vector<double> expected{2.16882199, 1.44091589, 0.90538207, 0.48488006, 0};
    REQUIRE(weights.size() == 5);
    for (std::size_t r = 0; r < 5; ++r) CHECK(weights[r] == Approx(expected[r]).margin(1e-7));
    CHECK(weights[4] == 0);
}

TEST_CASE("logistic weights treat equal regions alike, of one there is nothing to learn",
          "[train][weights]") {
    const RegionPairs pairs = drawn_pairs(200, {30, 5});
    RegionPairs doubled;
    doubled.regions = 4;
    doubled.same = pairs.same;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        for (const std::size_t r : {0, 1, 0, 1}) doubled.distances.push_back(pairs.of(i)[r]);
    }
    const std::vector<double> weights = logistic_weights(doubled, 0.001);
    CHECK(weights[0] == Approx(weights[2]).epsilon(1e-6));
    CHECK(weights[1] == Approx(weights[3]).epsilon(1e-6));
    CHECK(weights[0] > 2 * weights[1]);
    CHECK(weights[0] + weights[1] == Approx(2));

    CHECK(logistic_weights(drawn_pairs(50, {30}), 0.001) == std::vector<double>{1});
}

TEST_CASE("logistic weights of pairs that a threshold separates stay finite", "[train][weights]") {
    const std::vector<double> weights = logistic_weights(drawn_pairs(100, {500, 500}), 1e-9);
    CHECK(weights[0] + weights[1] == Approx(2));
    CHECK(weights[0] > 0);
    CHECK(weights[1] > 0);
}

TEST_CASE("logistic weights do not depend on the number of threads or the unit", "[train][weights]") {
    RegionPairs pairs = drawn_pairs(500, {30, 20, 10, 5, 0, -5, 15});
    std::vector<double> one, four;
    tbb::task_arena(1).execute([&] { one = logistic_weights(pairs, 0.001); });
    tbb::task_arena(4).execute([&] { four = logistic_weights(pairs, 0.001); });
    CHECK(one == four);
    for (double& distance : pairs.distances) distance *= 1024;
    CHECK(logistic_weights(pairs, 0.001) == one);
}

TEST_CASE("logistic weights refuse what nothing can be learned from", "[train][weights]") {
    RegionPairs pairs = drawn_pairs(20, {10});
    CHECK_THROWS_AS(logistic_weights(pairs, 0), std::invalid_argument);
    pairs.same.assign(20, 1);
    CHECK_THROWS_WITH(logistic_weights(pairs, 1), Contains("only pairs of one"));
    pairs.same.assign(20, 0);
    CHECK_THROWS_WITH(logistic_weights(pairs, 1), Contains("only pairs of two"));
    CHECK_THROWS_WITH(logistic_weights(drawn_pairs(100, {-50, -80}), 0.001), Contains("no region is nearer"));
    pairs = drawn_pairs(20, {10});
    pairs.distances.assign(20, 3);
    CHECK_THROWS_WITH(logistic_weights(pairs, 1), Contains("equally far apart"));
}
