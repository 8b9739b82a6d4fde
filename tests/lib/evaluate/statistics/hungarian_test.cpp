#include "lib/evaluate/statistics/hungarian.hpp"

#include <algorithm>
#include <limits>
#include <random>
#include <set>
#include <stdexcept>

#include <catch2/catch.hpp>

using fovea::HungarianMatcher;
using Edge = HungarianMatcher::Edge;
using Rows = std::vector<std::vector<Edge>>;

namespace {

// The largest total weight over all assignments of rows from `row` on, tried one by one.
std::int64_t brute_force(const Rows& rows, std::size_t row, std::vector<char>& taken) {
    if (row == rows.size()) return 0;
    std::int64_t best = brute_force(rows, row + 1, taken);
    for (const Edge& edge : rows[row]) {
        char& is_taken = taken[static_cast<std::size_t>(edge.column)];
        if (is_taken != 0) continue;
        is_taken = 1;
        best = std::max(best, edge.weight + brute_force(rows, row + 1, taken));
        is_taken = 0;
    }
    return best;
}

// The weight of what the matcher holds; -1 if that is no one-to-one assignment along edges.
std::int64_t held_weight(const HungarianMatcher& matcher, const Rows& rows) {
    std::int64_t total = 0;
    int pairs = 0;
    for (int row = 0; row < matcher.rows(); ++row) {
        const int column = matcher.column_of(row);
        if (column < 0) continue;
        ++pairs;
        if (matcher.row_of(column) != row) return -1;
        const auto& edges = rows[static_cast<std::size_t>(row)];
        const auto edge =
            std::find_if(edges.begin(), edges.end(), [&](const Edge& e) { return e.column == column; });
        if (edge == edges.end()) return -1;
        total += edge->weight;
    }
    for (int column = 0; column < matcher.columns(); ++column) pairs -= matcher.row_of(column) >= 0 ? 1 : 0;
    return pairs == 0 ? total : -1;
}

}  // namespace

TEST_CASE("Assignment: a better row takes a column away, an equal one does not", "[hungarian]") {
    HungarianMatcher matcher(1);
    CHECK(matcher.add_row({}) == 0);
    CHECK(matcher.changed_columns().empty());
    const std::vector<Edge> five{{0, 5}};
    const std::vector<Edge> six{{0, 6}};
    CHECK(matcher.add_row(five) == -1);
    CHECK(matcher.changed_columns() == std::vector<int>{0});
    CHECK(matcher.add_row(five) == 2);
    CHECK(matcher.changed_columns().empty());
    CHECK(matcher.add_row(six) == 1);
    CHECK(matcher.changed_columns() == std::vector<int>{0});
    CHECK(matcher.row_of(0) == 3);
    CHECK(matcher.column_of(1) == -1);
}

TEST_CASE("Assignment: of equal totals the one without the last row is held", "[hungarian]") {
    // The first row on column 0 alone weighs 5, as much as both rows do after a move: 2 + 3.
    HungarianMatcher matcher(2);
    CHECK(matcher.add_row(std::vector<Edge>{{0, 5}, {1, 2}}) == -1);
    CHECK(matcher.add_row(std::vector<Edge>{{0, 3}}) == 1);
    CHECK(matcher.changed_columns().empty());
    CHECK(matcher.add_row(std::vector<Edge>{{0, 4}}) == -1);
    CHECK(matcher.row_of(1) == 0);
}

TEST_CASE("Assignment: rows already placed are moved along the whole path", "[hungarian]") {
    // Each new row wants the column that the one before it took; greedy would leave it alone.
    HungarianMatcher matcher(4);
    const Rows rows{{{0, 10}, {1, 9}}, {{1, 10}, {2, 9}}, {{2, 10}, {3, 9}}, {{0, 10}}};
    for (const auto& row : rows) CHECK(matcher.add_row(row) == -1);
    CHECK(matcher.changed_columns().size() == 4);
    CHECK(matcher.row_of(0) == 3);
    CHECK(matcher.row_of(1) == 0);
    CHECK(matcher.row_of(2) == 1);
    CHECK(matcher.row_of(3) == 2);
    CHECK(held_weight(matcher, rows) == 37);
}

TEST_CASE("Assignment equals brute force after every row, for all shapes and densities", "[hungarian]") {
    std::mt19937 generator(7);
    const auto below = [&](unsigned bound) { return static_cast<int>(generator() % bound); };
    for (int trial = 0; trial < 3000; ++trial) {
        const int columns = below(7);
        const int row_count = 1 + below(7);
        // Few distinct weights give many ties, and huge ones probe the range.
        const std::int64_t unit = trial % 3 == 0 ? HungarianMatcher::largest_weight / 8 : 1;
        const unsigned distinct = trial % 2 == 0 ? 3 : 8;
        HungarianMatcher matcher(columns);
        Rows rows;
        int taken_before = 0;
        for (int row = 0; row < row_count; ++row) {
            rows.emplace_back();
            for (int column = 0; column < columns; ++column) {
                if (below(4) < 1 + trial % 4) rows.back().push_back({column, unit * (1 + below(distinct))});
            }
            std::shuffle(rows.back().begin(), rows.back().end(), generator);
            const int alone = matcher.add_row(rows.back());
            // Sums of seven of the largest weights still fit 64 bits only because the unit is 1/8 of it.
            std::vector<char> taken(static_cast<std::size_t>(columns), 0);
            INFO("trial " << trial << ", row " << row);
            REQUIRE(held_weight(matcher, rows) == brute_force(rows, 0, taken));
            int taken_now = 0;
            for (int column = 0; column < columns; ++column) taken_now += matcher.row_of(column) >= 0 ? 1 : 0;
            REQUIRE(taken_now == taken_before + (alone < 0 ? 1 : 0));
            if (alone >= 0) REQUIRE(matcher.column_of(alone) == -1);
            taken_before = taken_now;
        }
    }
}

TEST_CASE("Assignment: changed columns are exactly those with another row", "[hungarian]") {
    std::mt19937 generator(11);
    HungarianMatcher matcher(12);
    for (int row = 0; row < 60; ++row) {
        std::vector<int> before;
        for (int column = 0; column < 12; ++column) before.push_back(matcher.row_of(column));
        std::vector<Edge> edges;
        for (int column = 0; column < 12; ++column) {
            if (generator() % 3 == 0) edges.push_back({column, 1 + static_cast<int>(generator() % 50)});
        }
        matcher.add_row(edges);
        std::set<int> changed;
        for (int column = 0; column < 12; ++column) {
            if (matcher.row_of(column) != before[static_cast<std::size_t>(column)]) changed.insert(column);
        }
        CHECK(std::set<int>(matcher.changed_columns().begin(), matcher.changed_columns().end()) == changed);
    }
}

TEST_CASE("Assignment refuses edges out of range", "[hungarian]") {
    HungarianMatcher matcher(2);
    for (const Edge edge :
         {Edge{2, 1}, Edge{-1, 1}, Edge{0, 0}, Edge{0, -1}, Edge{0, HungarianMatcher::largest_weight + 1}}) {
        CHECK_THROWS_AS(matcher.add_row(std::vector<Edge>{edge}), std::invalid_argument);
    }
    CHECK(matcher.rows() == 0);
}
