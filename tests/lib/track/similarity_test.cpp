#include "lib/track/similarity.hpp"

#include <cmath>

#include <catch2/catch.hpp>

using namespace fovea;

namespace {

/// Twice as large, turned by a quarter to the left, and moved by (10, 20).
std::vector<Point> turned(const std::vector<Point>& points) {
    std::vector<Point> result;
    for (const Point& p : points) result.push_back({10 - 2 * p.y, 20 + 2 * p.x});
    return result;
}

const std::vector<Point> corners{{0, 0}, {4, 0}, {4, 2}, {0, 2}};

}  // namespace

TEST_CASE("A similarity is found again", "[track]") {
    const std::optional<Similarity> similarity = fit_similarity(corners, turned(corners));
    REQUIRE(similarity);
    CHECK(similarity->scale() == 2);
    CHECK(similarity->cosine == 0);
    CHECK(similarity->sine == 2);
    CHECK((*similarity)({1, 1}) == Point{8, 22});
}

TEST_CASE("A similarity of points that do not agree is the nearest one", "[track]") {
    // Means (1, 0) and (2, 0.5); along = 1 * 2 + 1 * 2 = 4, across = -(-0.5) + 0.5 = 1, spread 2.
    const std::vector<Point> first{{0, 0}, {2, 0}};
    const std::vector<Point> second{{0, 0}, {4, 1}};
    const std::optional<Similarity> similarity = fit_similarity(first, second);
    REQUIRE(similarity);
    CHECK(similarity->cosine == 2);
    CHECK(similarity->sine == 0.5);
}

TEST_CASE("There is no similarity of one place", "[track]") {
    const std::vector<Point> same(3, Point{5, 5});
    CHECK_FALSE(fit_similarity(same, corners));
    CHECK_FALSE(fit_similarity({}, {}));
    CHECK_FALSE(fit_voted_similarity(same, same, 2.5, 0.5));
}

TEST_CASE("Points that do not agree do not vote", "[track]") {
    std::vector<Point> first, second;
    for (int i = 0; i < 25; ++i) {
        first.push_back({static_cast<double>(i % 5), static_cast<double>(i / 5)});
        second.push_back({first.back().x + 3, first.back().y - 1});
    }
    second[7] = {50, 50};
    const std::optional<VotedSimilarity> voted = fit_voted_similarity(first, second, 2.5, 0.01);
    REQUIRE(voted);
    CHECK(voted->votes == 24);
    CHECK(voted->similarity.scale() == Approx(1));
    const Point moved = voted->similarity({2, 2});
    CHECK(moved.x == Approx(5));
    CHECK(moved.y == Approx(1));
}

TEST_CASE("A box is moved and scaled, but not turned", "[track]") {
    const std::optional<Similarity> similarity = fit_similarity(corners, turned(corners));
    REQUIRE(similarity);
    // The centre (2, 1) is the mean of the points, which goes to (8, 24).
    CHECK(moved_box({1, 0, 2, 2}, *similarity) == Box{6, 22, 4, 4});
}
