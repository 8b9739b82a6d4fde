#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace fovea {

/// Whole numbers in the order of the doubles, with -0 directly below 0. Numbers are not NaN.
inline std::uint64_t place_of_double(double number) {
    constexpr auto sign = std::uint64_t{1} << 63;
    const auto bits = std::bit_cast<std::uint64_t>(number);
    return (bits & sign) != 0 ? ~bits : bits | sign;
}

/// The double of place_of_double().
inline double double_at_place(std::uint64_t place) {
    constexpr auto sign = std::uint64_t{1} << 63;
    return std::bit_cast<double>((place & sign) != 0 ? place & ~sign : ~place);
}

/// Sorts elements by their member `score`, the highest first; equal ones keep their order. Scores are not
/// NaN.
///
/// Digits of the scores are counted and sorted, the lowest first, which looks at each element a few times,
/// however many there are.
template <class Element>
void sort_by_falling_score(std::vector<Element>& elements) {
    constexpr std::size_t few = 1024;
    if (elements.size() <= few) {
        std::ranges::stable_sort(
            elements, [](double a, double b) { return a > b; }, &Element::score);
        return;
    }
    constexpr unsigned digit_bits = 11, digits = 6;
    constexpr std::size_t values = std::size_t{1} << digit_bits;
    // 0 and -0 are equal.
    const auto digit_of = [](const Element& element, unsigned digit) {
        return ~place_of_double(element.score + 0.0) >> (digit * digit_bits) & (values - 1);
    };
    std::vector<std::array<std::size_t, values>> counts(digits);
    for (const Element& element : elements) {
        for (unsigned digit = 0; digit < digits; ++digit) ++counts[digit][digit_of(element, digit)];
    }
    std::vector<Element> sorted(elements.size());
    for (unsigned digit = 0; digit < digits; ++digit) {
        std::array<std::size_t, values>& next = counts[digit];
        if (next[digit_of(elements.front(), digit)] == elements.size()) continue;
        std::size_t first = 0;
        for (std::size_t& place : next) {
            const std::size_t count = place;
            place = first;
            first += count;
        }
        for (const Element& element : elements) sorted[next[digit_of(element, digit)]++] = element;
        elements.swap(sorted);
    }
}

}  // namespace fovea
