#include "lib/evaluate/statistics/score_order.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include <catch2/catch.hpp>

using namespace fovea;

namespace {

struct Scored {
    double score = 0;
    std::size_t place = 0;

    friend bool operator==(const Scored&, const Scored&) = default;
};

}  // namespace

TEST_CASE("places of doubles are in their order", "[score_order]") {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const std::vector<double> rising{-infinity, -1e308, -1, -5e-324, -0.0,    0.0,
                                     5e-324,    0.5,    1,  1e308,   infinity};
    for (std::size_t i = 0; i < rising.size(); ++i) {
        CHECK(double_at_place(place_of_double(rising[i])) == rising[i]);
        if (i > 0) CHECK(place_of_double(rising[i - 1]) < place_of_double(rising[i]));
    }
    CHECK(place_of_double(0.0) == place_of_double(-0.0) + 1);
}

TEST_CASE("elements are sorted by falling score, equal ones in their order", "[score_order]") {
    std::mt19937 random(5);
    // Few are sorted by comparisons, many by their digits.
    const std::size_t count = GENERATE(0, 1, 7, 1024, 1025, 5000);
    const int kind = GENERATE(range(0, 4));
    std::vector<Scored> elements;
    for (std::size_t i = 0; i < count; ++i) {
        const double uniform = random() / 4294967296.0;
        const double whole = static_cast<double>(random() % 5) - 2;
        // Between 0 and 1; ties with a few below 0; 0 and -0, which are equal; of any size.
        const double score = kind == 0   ? uniform
                             : kind == 1 ? whole
                             : kind == 2 ? (uniform < 0.5 ? 0.0 : -0.0)
                                         : whole * std::pow(10, 600 * uniform - 300);
        elements.push_back({score, i});
    }
    std::vector<Scored> expected = elements;
    std::ranges::stable_sort(expected, [](const Scored& a, const Scored& b) { return a.score > b.score; });
    sort_by_falling_score(elements);
    CHECK(elements == expected);
}
