#include "kernels/boost/window_features.hpp"

#include <array>
#include <set>
#include <tuple>
#include <vector>

#include <catch2/catch.hpp>

using namespace fovea;
using Catch::Matchers::Contains;

namespace {

using enum HaarPool;

std::size_t rects_of(const HaarFeature& feature) {
    return feature.weights[2] != 0 ? 3 : 2;
}

bool is_inside(const Rect& r, bool tilted, Size window) {
    if (r.width <= 0 || r.height <= 0 || r.x < 0 || r.y < 0) return false;
    if (!tilted) return r.x + r.width <= window.width && r.y + r.height <= window.height;
    // The left corner, the right one and the lowest one.
    return r.x - r.height >= 0 && r.x + r.width <= window.width && r.y + r.width + r.height <= window.height;
}

std::vector<int> key_of(const HaarFeature& feature) {
    std::vector<int> key{feature.tilted ? 1 : 0};
    for (std::size_t r = 0; r < rects_of(feature); ++r) {
        const Rect& rect = feature.rects[r];
        key.insert(key.end(),
                   {rect.x, rect.y, rect.width, rect.height, static_cast<int>(feature.weights[r])});
    }
    return key;
}

struct Faults {
    int outside = 0, unbalanced = 0, twice = 0;

    friend bool operator==(const Faults&, const Faults&) = default;
};

Faults faults_of(const WindowFeatures& features) {
    Faults faults;
    std::set<std::vector<int>> seen;
    for (const HaarFeature& feature : features.haar) {
        float balance = 0;
        for (std::size_t r = 0; r < rects_of(feature); ++r) {
            const Rect& rect = feature.rects[r];
            if (!is_inside(rect, feature.tilted, features.window)) ++faults.outside;
            balance += feature.weights[r] * static_cast<float>(rect.width * rect.height);
        }
        if (balance != 0) ++faults.unbalanced;
        if (!seen.insert(key_of(feature)).second) ++faults.twice;
    }
    return faults;
}

/// The features' names by their shape: two stripes, three, the centre, the chessboard.
std::array<int, 4> kinds_of(const WindowFeatures& features) {
    std::array<int, 4> counts{};
    for (const HaarFeature& feature : features.haar) {
        const int whole = feature.rects[0].width * feature.rects[0].height;
        const int part = feature.rects[1].width * feature.rects[1].height;
        if (feature.weights[2] != 0)
            ++counts[3];
        else if (whole == 9 * part)
            ++counts[2];
        else
            ++counts[whole == 3 * part ? 1 : 0];
    }
    return counts;
}

}  // namespace

TEST_CASE("pools have as many features as opencv_traincascade's", "[boost]") {
    const auto [window, basic_count, core_count, all_count, lbp_count] =
        GENERATE(table<Size, std::size_t, std::size_t, std::size_t, std::size_t>(
            {{Size{20, 20}, 78'460, 101'329, 125'199, 3'969},
             {Size{24, 24}, 162'336, 210'400, 261'600, 8'464},
             {Size{50, 20}, 487'255, 633'334, 732'384, 25'704},
             {Size{52, 13}, 223'834, 289'705, 318'149, 11'492}}));
    CAPTURE(window.width, window.height);
    CHECK(haar_features(window, basic).size() == basic_count);
    CHECK(haar_features(window, core).size() == core_count);
    CHECK(haar_features(window, all).size() == all_count);
    CHECK(lbp_features(window).size() == lbp_count);
}

TEST_CASE("Oro's pool has the features of his table I", "[boost]") {
    const WindowFeatures features = haar_features({24, 24}, oro);
    CHECK(kinds_of(features) == std::array<int, 4>{55'660, 31'878, 3'969, 12'100});
    CHECK(features.size() == 103'607);
    CHECK(faults_of(features) == Faults{});
    for (const HaarFeature& feature : features.haar) {
        const Rect &whole = feature.rects[0], &part = feature.rects[1];
        // The window's last row and column are left out, and cells are 2x2 or larger.
        if (whole.x + whole.width > 23 || whole.y + whole.height > 23 || part.width < 2 || part.height < 2)
            FAIL("at " << whole.x << " " << whole.y);
    }
}

TEST_CASE("Haar features lie in the window, are balanced and differ", "[boost]") {
    for (const Size window : {Size{24, 24}, Size{13, 21}, Size{9, 4}}) {
        CAPTURE(window.width, window.height);
        const WindowFeatures features = haar_features(window, all);
        CHECK(faults_of(features) == Faults{});
        CHECK(features.has_tilted());
        CHECK_FALSE(haar_features(window, core).has_tilted());
        // A smaller pool is part of the larger one.
        std::set<std::vector<int>> larger;
        for (const HaarFeature& feature : features.haar) larger.insert(key_of(feature));
        std::size_t missing = 0;
        for (const HaarPool pool : {basic, core, oro}) {
            for (const HaarFeature& feature : haar_features(window, pool).haar)
                missing += larger.contains(key_of(feature)) ? 0 : 1;
        }
        CHECK(missing == 0);
    }
}

TEST_CASE("LBP features lie in the window and differ", "[boost]") {
    const WindowFeatures features = lbp_features({20, 13});
    std::set<std::tuple<int, int, int, int>> seen;
    std::size_t outside = 0;
    for (const LbpFeature& feature : features.lbp) {
        const Rect& cell = feature.cell;
        outside += is_inside({cell.x, cell.y, 3 * cell.width, 3 * cell.height}, false, {20, 13}) ? 0 : 1;
        seen.insert({cell.x, cell.y, cell.width, cell.height});
    }
    CHECK(outside == 0);
    CHECK(seen.size() == features.size());
}

TEST_CASE("the smallest windows have the features that can be counted by hand", "[boost]") {
    // 3x3: two stripes of 1x1 ... 1x3 at 2 · (3 + 2 + 1) places, in both directions; three at 3 + 2 + 1; the
    // chessboard at 2 · 2; the centre once; and of the tilted ones the two stripes of 1x1, in both
    // directions.
    CHECK(haar_features({3, 3}, basic).size() == 24 + 12 + 4);
    CHECK(haar_features({3, 3}, core).size() == 40 + 1);
    CHECK(haar_features({3, 3}, all).size() == 41 + 2);
    CHECK(haar_features({3, 3}, oro).size() == 0);
    CHECK(lbp_features({3, 3}).size() == 1);
    CHECK(lbp_features({3, 3}).lbp[0].cell == Rect{0, 0, 1, 1});
    CHECK(faults_of(haar_features({3, 3}, all)) == Faults{});
}

TEST_CASE("features are counted without making them", "[boost]") {
    for (int width = 3; width <= 13; ++width) {
        for (int height = 3; height <= 13; ++height) {
            const Size window{width, height};
            for (const HaarPool pool : {basic, core, all, oro}) {
                const WindowFeatures features = haar_features(window, pool);
                if (haar_feature_count(window, pool) != features.size())
                    FAIL(width << "x" << height << ", pool " << static_cast<int>(pool));
            }
            if (lbp_feature_count(window) != lbp_features(window).size()) FAIL(width << "x" << height);
        }
    }
    CHECK(haar_feature_count({256, 256}, all) == 3'480'093'838);
}

TEST_CASE("windows that are too small or have too many features are refused", "[boost]") {
    for (const Size window : {Size{2, 24}, Size{24, 2}, Size{1025, 24}, Size{24, 1025}, Size{-1, -1}}) {
        CHECK_THROWS_WITH(haar_features(window, basic), Contains("3 to 1024"));
        CHECK_THROWS_WITH(lbp_features(window), Contains("3 to 1024"));
        CHECK_THROWS_AS(haar_feature_count(window, oro), std::invalid_argument);
    }
    CHECK_THROWS_WITH(haar_features({256, 256}, all),
                      Contains("3480093838") && Contains("more than 10000000"));
    CHECK_THROWS_WITH(haar_features({1024, 1024}, basic), Contains("more than 10000000"));
    CHECK_THROWS_WITH(lbp_features({1024, 1024}), Contains("more than 10000000"));
}
