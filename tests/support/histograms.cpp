#include "tests/support/histograms.hpp"

#include <algorithm>
#include <random>
#include <utility>

namespace fovea::test {

HistogramLayout layout_of(std::vector<HistogramBlock> blocks) {
    HistogramLayout layout{std::move(blocks), 0};
    for (const HistogramBlock& block : layout.blocks) layout.bins += block.bins;
    return layout;
}

HistogramLayout even_layout(std::size_t blocks, HistogramBlock block) {
    return layout_of(std::vector<HistogramBlock>(blocks, block));
}

std::vector<NamedLayout> edge_layouts() {
    std::vector<HistogramBlock> many;
    for (std::uint32_t i = 0; i < 200; ++i) many.push_back({1 + i % 7, 100 + i, 256 + i});
    return {
        {"one bin", even_layout(1, {1, 1, 256})},
        {"one bin, everything at its largest", even_layout(1, {1, 65535, 65535})},
        {"uniform patterns", even_layout(7, {59, 378, 256})},
        {"uniform patterns in 8 bits", even_layout(7, {59, 255, 256})},
        {"counts of 9 bits", even_layout(2, {33, 256, 256})},
        {"products that barely fit segments", even_layout(2, {300, 4096, 256})},
        {"products that need a segment for each bin", even_layout(3, {37, 65535, 3})},
        {"segments of 255, 256 and 257 bins", layout_of({{255, 9, 1}, {256, 9, 2}, {257, 9, 3}})},
        {"segments about 1024 bins", layout_of({{1023, 9, 1}, {1024, 9, 2}, {1025, 9, 3}})},
        {"weights 0 alone", even_layout(3, {5, 9, 0})},
        {"weights 0, 1 and large",
         layout_of({{1, 3, 0}, {31, 255, 65535}, {32, 200, 1}, {33, 7, 0}, {127, 100, 512}, {1, 0, 7}})},
        {"200 weights", layout_of(many)},
    };
}

std::vector<std::uint16_t> random_counts(const HistogramLayout& layout, std::size_t count, CountKind kind,
                                         std::uint32_t seed) {
    std::mt19937 generator(seed);
    std::vector<std::uint16_t> counts;
    counts.reserve(count * layout.bins);
    for (std::size_t i = 0; i < count; ++i) {
        if (i > 2 && generator() % 5 == 0) {
            const auto from = static_cast<std::ptrdiff_t>(generator() % i * layout.bins);
            const std::vector<std::uint16_t> earlier(
                counts.begin() + from, counts.begin() + from + static_cast<std::ptrdiff_t>(layout.bins));
            counts.insert(counts.end(), earlier.begin(), earlier.end());
            continue;
        }
        for (const HistogramBlock& block : layout.blocks) {
            for (std::uint32_t bin = 0; bin < block.bins; ++bin) {
                const std::uint32_t random = generator();
                std::uint32_t value = random % (block.largest + 1);
                if (kind == CountKind::sparse) {
                    value = random % 4 == 0 ? std::min(block.largest, random / 4 % 6) : 0;
                } else if (kind == CountKind::extreme) {
                    value = random % 2 == 0 ? 0 : block.largest;
                }
                counts.push_back(static_cast<std::uint16_t>(value));
            }
        }
    }
    return counts;
}

}  // namespace fovea::test
