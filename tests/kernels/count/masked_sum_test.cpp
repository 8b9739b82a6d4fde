#include "kernels/count/masked_sum.hpp"

#include <random>
#include <vector>

#include <catch2/catch.hpp>

namespace fovea {
namespace {

TEST_CASE("Weighted sums: by hand", "[count]") {
    // Elements 0, 1 and 63 weigh 1, 2 and 3.
    const std::vector<std::uint64_t> bits{1ull | 1ull << 63, 2ull | 1ull << 63};
    const std::vector<std::uint64_t> sets{0, 1, 3, ~0ull, 1ull << 63, 1ull << 40};
    std::vector<std::uint64_t> sums(sets.size(), 99);
    weighted_sums(sets, bits, sums);
    CHECK(sums == std::vector<std::uint64_t>{0, 1, 3, 6, 3, 0});
    weighted_sums(sets, {}, sums);  // every weight is 0
    CHECK(sums == std::vector<std::uint64_t>(sets.size(), 0));
}

TEST_CASE("Weighted sums: any number of sets and bits, as adding one by one", "[count]") {
    std::mt19937_64 generator(3);
    for (const std::size_t sets_count : {0, 1, 7, 8, 9, 31, 100}) {
        for (const std::size_t width : {1, 4, 16}) {
            std::vector<std::uint64_t> weights(64);
            std::vector<std::uint64_t> bits(width);
            for (std::size_t k = 0; k < 64; ++k) {
                weights[k] = generator() % (1ull << width);
                for (std::size_t p = 0; p < width; ++p) bits[p] |= (weights[k] >> p & 1) << k;
            }
            std::vector<std::uint64_t> sets(sets_count);
            for (std::uint64_t& set : sets) set = generator();
            std::vector<std::uint64_t> sums(sets_count);
            weighted_sums(sets, bits, sums);
            for (std::size_t i = 0; i < sets_count; ++i) {
                std::uint64_t expected = 0;
                for (std::size_t k = 0; k < 64; ++k) expected += (sets[i] >> k & 1) * weights[k];
                CHECK(sums[i] == expected);
            }
        }
    }
}

}  // namespace
}  // namespace fovea
