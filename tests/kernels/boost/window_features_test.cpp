#include "kernels/boost/window_features.hpp"

#include <set>
#include <stdexcept>
#include <vector>

#include <catch2/catch.hpp>

using namespace fovea;

namespace {

bool is_inside(const Rect& r, bool tilted, Size window) {
    if (r.x < 0 || r.y < 0 || r.width <= 0 || r.height <= 0) return false;
    if (tilted) {
        return r.x - r.height >= 0 && r.x + r.width <= window.width &&
               r.y + r.width + r.height <= window.height;
    }
    return r.x + r.width <= window.width && r.y + r.height <= window.height;
}

}  // namespace

TEST_CASE("Pools have as many features as opencv_traincascade counts", "[boost]") {
    struct Count {
        Size window;
        std::size_t basic, core, all, lbp;
    };
    const Count count = GENERATE(Count{{20, 20}, 78460, 101329, 125199, 3969},
                                 Count{{24, 24}, 162336, 210400, 261600, 8464},
                                 Count{{50, 20}, 487255, 633334, 732384, 25704},
                                 Count{{52, 13}, 223834, 289705, 318149, 11492});
    CHECK(haar_features(count.window, HaarPool::basic).size() == count.basic);
    CHECK(haar_features(count.window, HaarPool::core).size() == count.core);
    CHECK(haar_features(count.window, HaarPool::all).size() == count.all);
    CHECK(lbp_features(count.window).size() == count.lbp);
}

TEST_CASE("Oro's pool has the features of his table I", "[boost]") {
    std::size_t edge = 0, line = 0, centre = 0, diagonal = 0;
    for (const HaarFeature& feature : haar_features({24, 24}, HaarPool::oro).haar) {
        if (feature.weights[2] != 0)
            ++diagonal;
        else if (feature.weights[1] == 9)
            ++centre;
        else if (feature.weights[1] == 3)
            ++line;
        else
            ++edge;
    }
    CHECK(edge == 55660);
    CHECK(line == 31878);
    CHECK(centre == 3969);
    CHECK(diagonal == 12100);
}

TEST_CASE("Haar features lie in the window, differ and are 0 on a flat one", "[boost]") {
    const Size window{13, 11};
    for (const HaarPool pool : {HaarPool::all, HaarPool::oro}) {
        std::set<std::vector<int>> seen;
        bool all_inside = true, all_balanced = true;
        const WindowFeatures features = haar_features(window, pool);
        for (const HaarFeature& feature : features.haar) {
            std::vector<int> key{feature.tilted ? 1 : 0};
            float balance = 0;
            for (std::size_t r = 0; r < 3; ++r) {
                if (feature.weights[r] == 0) continue;
                const Rect& rect = feature.rects[r];
                all_inside = all_inside && is_inside(rect, feature.tilted, window);
                balance += feature.weights[r] * static_cast<float>(rect.width * rect.height);
                key.insert(key.end(), {rect.x, rect.y, rect.width, rect.height});
            }
            all_balanced = all_balanced && balance == 0;
            seen.insert(key);
        }
        CHECK(all_inside);
        CHECK(all_balanced);
        CHECK(seen.size() == features.size());
        CHECK(features.has_tilted() == (pool == HaarPool::all));
    }
}

TEST_CASE("Windows without features, and with too many, are refused", "[boost]") {
    CHECK(haar_features({3, 3}, HaarPool::basic).size() == 36 + 4);
    CHECK_THROWS_AS(haar_features({2, 24}, HaarPool::basic), std::invalid_argument);
    CHECK_THROWS_AS(lbp_features({24, 1025}), std::invalid_argument);
    CHECK_THROWS_AS(haar_features({256, 256}, HaarPool::all), std::invalid_argument);
    CHECK_THROWS_AS(lbp_features({256, 256}), std::invalid_argument);
}
