#include "kernels/landmark/row_sums.hpp"

#include <random>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/support/simd_targets.hpp"

using namespace fovea;

TEST_CASE("rows are added in the order of their list, with every instruction set", "[landmark]") {
    std::mt19937 random(3);
    // Whole vectors of every length, nine of them and more, and rests.
    for (const std::size_t stride : {16U, 32U, 80U, 144U, 160U, 304U}) {
        constexpr std::size_t rows = 40;
        std::vector<float> values(rows * stride);
        for (float& value : values) value = static_cast<float>(random()) * 0x1p-32F - 0.5F;
        std::vector<std::uint32_t> chosen;
        for (int i = 0; i < 70; ++i) chosen.push_back(static_cast<std::uint32_t>(random() % rows));
        std::vector<float> wanted(stride + 1, 0.25F);
        for (const std::uint32_t row : chosen) {
            for (std::size_t i = 0; i < stride; ++i) wanted[i] += values[row * stride + i];
        }
        for (const std::string& target : test::all_simd_targets()) {
            const test::ForcedSimdTarget forced(target);
            std::vector<float> sum(stride + 1, 0.25F);
            add_rows(values.data(), stride, chosen, sum.data());
            CAPTURE(stride, target);
            // The guard behind the sum, too.
            CHECK(sum == wanted);
            add_rows(values.data(), stride, {}, sum.data());
            CHECK(sum == wanted);
        }
    }
}
