#include "lib/evaluate/statistics/random_draw.hpp"

#include <algorithm>

namespace fovea {

std::mt19937_64 repetition_generator(std::uint64_t seed, std::size_t index) {
    std::seed_seq sequence{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32),
                           static_cast<std::uint32_t>(index)};
    return std::mt19937_64(sequence);
}

std::uint64_t draw_below(std::mt19937_64& generator, std::uint64_t bound) {
    // Rejects the incomplete last multiple of `bound`, so that every number is equally likely.
    const std::uint64_t limit = ~std::uint64_t{0} - ~std::uint64_t{0} % bound;
    std::uint64_t value = generator();
    while (value >= limit) value = generator();
    return value % bound;
}

std::optional<Interval> central_95_percent(std::vector<double> values) {
    if (values.empty()) return std::nullopt;
    std::sort(values.begin(), values.end());
    const std::size_t outside = values.size() * 25 / 1000;
    return Interval{values[outside], values[values.size() - 1 - outside]};
}

}  // namespace fovea
