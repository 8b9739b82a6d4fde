#include "lib/evaluate/statistics/segment_counts.hpp"

#include <cstdint>
#include <vector>

#include <catch2/catch.hpp>

using namespace fovea;

TEST_CASE("segment counts add up the weights of the units of each segment", "[evaluate][segment-counts]") {
    // Segments: 0 1 1 2 | nothing | 2 2 | 0 3; the last element is in none.
    const std::vector<std::uint32_t> units{0, 1, 1, 2, 2, 2, 0, 3, 1};
    const std::vector<std::size_t> ends{4, 4, 6, 8};
    const auto unit_of = [&](std::size_t element) { return units[element]; };
    const auto counts = SegmentCounts::make(unit_of, ends, 4);
    REQUIRE(counts);
    std::vector<std::int64_t> sums(4, -1);
    CHECK(counts->add_up(std::vector<std::uint16_t>{5, 0, 7, 11}, sums));
    CHECK(sums == std::vector<std::int64_t>{5 + 7, 0, 14, 16});
    CHECK(counts->add_up(std::vector<std::uint16_t>(4, 0), sums));
    CHECK(sums == std::vector<std::int64_t>(4, 0));
    // A weight that is no positive number of 16 bits.
    CHECK_FALSE(counts->add_up(std::vector<std::uint16_t>{1, 1, 1, 32768}, sums));

    const auto none = SegmentCounts::make(unit_of, {}, 4);
    REQUIRE(none);
    CHECK(none->add_up(std::vector<std::uint16_t>(4, 1), {}));
}

TEST_CASE("segment counts refuse what their numbers do not hold", "[evaluate][segment-counts]") {
    const auto all_one = [](std::size_t) { return 0U; };
    const auto full = SegmentCounts::make(all_one, std::vector<std::size_t>{32767, 65534}, 1);
    REQUIRE(full);
    CHECK_FALSE(SegmentCounts::make(all_one, std::vector<std::size_t>{32768}, 1));
    // 65,534 elements of 32,767 are below 2^31, of twice as many units they are not.
    std::vector<std::int64_t> sums(2);
    CHECK(full->add_up(std::vector<std::uint16_t>{32767}, sums));
    CHECK(sums == std::vector<std::int64_t>(2, std::int64_t{32767} * 32767));
    const auto more = SegmentCounts::make(all_one, std::vector<std::size_t>{32767, 65534, 98301}, 1);
    REQUIRE(more);
    CHECK_FALSE(more->add_up(std::vector<std::uint16_t>{32767}, sums));
}

TEST_CASE("segment counts are added group by group", "[evaluate][segment-counts]") {
    // Segment 0: 3 elements of unit 0; segment 1: 2 of unit 0 and 32,767 of unit 1, which then is full.
    SegmentCounts counts(2, 2);
    CHECK(counts.add(0, 0, 3));
    CHECK(counts.add(1, 0, 1));
    CHECK(counts.add(1, 0, 1));
    CHECK(counts.add(1, 1, 32767));
    CHECK_FALSE(counts.add(1, 1, 1));
    std::vector<std::int64_t> sums(2);
    CHECK(counts.add_up(std::vector<std::uint16_t>{10, 1}, sums));
    CHECK(sums == std::vector<std::int64_t>{30, 32787});
}
