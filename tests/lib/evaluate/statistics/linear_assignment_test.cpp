#include "lib/evaluate/statistics/linear_assignment.hpp"

#include "lib/core/splitmix.hpp"
#include "lib/evaluate/statistics/hungarian.hpp"
#include "lib/evaluate/statistics/numpy_sum.hpp"

using namespace fovea;

namespace {

std::vector<int> assigned(const std::vector<double>& costs, std::size_t rows, std::size_t columns) {
    LinearAssignment assignment;
    const std::span<const int> columns_of = assignment.solve(costs, rows, columns);
    return {columns_of.begin(), columns_of.end()};
}

/// Whole numbers from 0 to 4, so that many choices cost the same.
std::vector<double> tied_costs(std::size_t count, std::uint64_t seed) {
    std::vector<double> costs(count);
    for (std::size_t i = 0; i < count; ++i) costs[i] = static_cast<double>(mixed(seed * 1000 + i) % 5);
    return costs;
}

double cost_of(const std::vector<int>& columns, const std::vector<double>& costs, std::size_t width) {
    double sum = 0;
    for (std::size_t row = 0; row < columns.size(); ++row) {
        if (columns[row] >= 0) sum += costs[row * width + static_cast<std::size_t>(columns[row])];
    }
    return sum;
}

}  // namespace

TEST_CASE("a linear assignment falls on scipy's choice where several cost the same", "[evaluate][tracks]") {
    // scipy 1.17.1, linear_sum_assignment, on the same matrices.
    CHECK(assigned({1, 1, 1, 1, 1, 1, 1, 1, 1}, 3, 3) == std::vector<int>{0, 1, 2});
    CHECK(assigned({0, 0, 0, 0, 0, 0}, 2, 3) == std::vector<int>{0, 1});
    CHECK(assigned({0, 0, 0, 0, 0, 0}, 3, 2) == std::vector<int>{0, 1, -1});
    CHECK(assigned({4, 1, 3, 2, 0, 5, 3, 2, 2}, 3, 3) == std::vector<int>{1, 0, 2});
    CHECK(assigned(tied_costs(16, 1), 4, 4) == std::vector<int>{1, 2, 0, 3});
    CHECK(assigned(tied_costs(25, 2), 5, 5) == std::vector<int>{2, 3, 4, 0, 1});
    CHECK(assigned(tied_costs(18, 3), 3, 6) == std::vector<int>{2, 3, 1});
    CHECK(assigned(tied_costs(18, 4), 6, 3) == std::vector<int>{-1, -1, 1, 0, 2, -1});
    CHECK(assigned(tied_costs(49, 5), 7, 7) == std::vector<int>{3, 0, 6, 4, 2, 5, 1});
    CHECK(assigned(tied_costs(40, 6), 8, 5) == std::vector<int>{4, -1, 0, 3, 2, 1, -1, -1});
}

TEST_CASE("a linear assignment costs the least", "[evaluate][tracks]") {
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        const std::size_t rows = 1 + seed % 7, columns = 1 + seed / 7 % 9;
        const std::vector<double> costs = tied_costs(rows * columns, seed);
        const std::vector<int> columns_of = assigned(costs, rows, columns);
        // Weights above all costs, so that as many pairs as there can be are made.
        HungarianMatcher matcher(static_cast<int>(columns));
        std::int64_t weight = 0;
        for (std::size_t row = 0; row < rows; ++row) {
            std::vector<HungarianMatcher::Edge> edges;
            for (std::size_t c = 0; c < columns; ++c)
                edges.push_back(
                    {static_cast<int>(c), 1000 - static_cast<std::int64_t>(costs[row * columns + c])});
            matcher.add_row(edges);
        }
        for (std::size_t row = 0; row < rows; ++row) {
            const int c = matcher.column_of(static_cast<int>(row));
            if (c >= 0)
                weight +=
                    1000 - static_cast<std::int64_t>(costs[row * columns + static_cast<std::size_t>(c)]);
        }
        const auto pairs = static_cast<double>(std::min(rows, columns));
        CHECK(cost_of(columns_of, costs, columns) == 1000 * pairs - static_cast<double>(weight));
    }
}

TEST_CASE("numpy's sum of an array of which few numbers are given", "[evaluate][tracks]") {
    for (const std::size_t count : {1, 7, 8, 9, 127, 128, 129, 1000, 4097}) {
        std::vector<double> all(count, 0.0);
        std::vector<ArrayTerm> terms;
        for (std::size_t i = 0; i < count; i += 1 + mixed(i) % 5) {
            all[i] = static_cast<double>(mixed(i + 77) >> 11) * 0x1p-53;
            terms.push_back({i, all[i]});
        }
        CHECK(numpy_sum(terms, 0, count) == numpy_sum(all));
    }
    CHECK(numpy_sum(std::span<const ArrayTerm>(), 0, 5) == 0);
}
