#include "lib/core/overlap.hpp"

#include <utility>

#include <catch2/catch.hpp>

using namespace fovea;

namespace {

using Places = std::vector<std::pair<std::size_t, std::size_t>>;

Places kept(std::vector<OverlappingPair> pairs) {
    Places places;
    for (const OverlappingPair& pair : pair_greedily(std::move(pairs)))
        places.emplace_back(pair.first, pair.second);
    return places;
}

}  // namespace

TEST_CASE("pairs are kept greedily, each box once", "[core]") {
    CHECK(kept({}).empty());
    // The second pair has the largest overlap, and takes a box from each of the first and the third.
    CHECK(kept({{0.6, 0, 1}, {0.9, 1, 1}, {0.8, 1, 0}, {0.5, 0, 0}}) == Places{{1, 1}, {0, 0}});
    // The first of equal ones is kept.
    CHECK(kept({{0.5, 0, 1}, {0.5, 0, 0}, {0.5, 2, 1}}) == Places{{0, 1}});
    // The lists have places of their own.
    CHECK(kept({{0.7, 3, 3}, {0.6, 4, 2}}) == Places{{3, 3}, {4, 2}});
}
