#include "kernels/boost/window_features.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace fovea {
namespace {

void check_window(Size window) {
    constexpr int least = 3, most = 1024;
    if (window.width < least || window.height < least || window.width > most || window.height > most) {
        throw std::invalid_argument("a window of " + std::to_string(window.width) + "x" +
                                    std::to_string(window.height) +
                                    " pixels has no features; it must have 3 to 1024 in both directions");
    }
}

template <class Feature>
void add_to(std::vector<Feature>& features, const Feature& feature) {
    if (features.size() == max_pool_features) {
        throw std::invalid_argument("the window has more than " + std::to_string(max_pool_features) +
                                    " features of this pool; take a smaller window, or a smaller pool");
    }
    features.push_back(feature);
}

/// Calls use(x, y, dx, dy) for every place and size of a cell, in the order of opencv_traincascade.
template <class Use>
void for_cells(Size window, const Use& use) {
    for (int x = 0; x < window.width; ++x) {
        for (int y = 0; y < window.height; ++y) {
            for (int dx = 1; dx <= window.width; ++dx) {
                for (int dy = 1; dy <= window.height; ++dy) use(x, y, dx, dy);
            }
        }
    }
}

HaarFeature feature_of(bool tilted, Rect whole, Rect part, float weight) {
    HaarFeature feature;
    feature.rects = {whole, part, Rect{}};
    feature.weights = {-1, weight, 0};
    feature.tilted = tilted;
    return feature;
}

HaarFeature chessboard(int x, int y, int dx, int dy) {
    HaarFeature feature = feature_of(false, {x, y, 2 * dx, 2 * dy}, {x, y, dx, dy}, 2);
    feature.rects[2] = {x + dx, y + dy, dx, dy};
    feature.weights[2] = 2;
    return feature;
}

class PoolMaker {
  public:
    PoolMaker(Size window, HaarPool pool) : window_(window), pool_(pool) {}

    std::vector<HaarFeature> make() {
        for_cells(window_, [this](int x, int y, int dx, int dy) {
            add_upright(x, y, dx, dy);
            if (pool_ == HaarPool::all) add_tilted(x, y, dx, dy);
        });
        return std::move(features_);
    }

  private:
    bool fits(int x, int y, int width, int height) const {
        return x + width <= window_.width && y + height <= window_.height;
    }

    void add(Rect whole, Rect part, float weight) {
        if (fits(whole.x, whole.y, whole.width, whole.height))
            add_to(features_, feature_of(false, whole, part, weight));
    }

    void add_upright(int x, int y, int dx, int dy) {
        const bool has_four = pool_ != HaarPool::basic;
        add({x, y, 2 * dx, dy}, {x + dx, y, dx, dy}, 2);
        add({x, y, dx, 2 * dy}, {x, y + dy, dx, dy}, 2);
        add({x, y, 3 * dx, dy}, {x + dx, y, dx, dy}, 3);
        add({x, y, dx, 3 * dy}, {x, y + dy, dx, dy}, 3);
        if (has_four) {
            add({x, y, 4 * dx, dy}, {x + dx, y, 2 * dx, dy}, 2);
            add({x, y, dx, 4 * dy}, {x, y + dy, dx, 2 * dy}, 2);
        }
        if (fits(x, y, 2 * dx, 2 * dy)) add_to(features_, chessboard(x, y, dx, dy));
        if (has_four) add({x, y, 3 * dx, 3 * dy}, {x + dx, y + dy, dx, dy}, 9);
    }

    // (x, y) is the top corner; the first side goes down to the right, the second down to the left.
    void add_tilted(Rect whole, Rect part, float weight) {
        const bool inside = whole.x - whole.height >= 0 && whole.x + whole.width <= window_.width &&
                            whole.y + whole.width + whole.height <= window_.height;
        if (inside) add_to(features_, feature_of(true, whole, part, weight));
    }

    void add_tilted(int x, int y, int dx, int dy) {
        add_tilted({x, y, 2 * dx, dy}, {x, y, dx, dy}, 2);
        add_tilted({x, y, dx, 2 * dy}, {x, y, dx, dy}, 2);
        add_tilted({x, y, 3 * dx, dy}, {x + dx, y + dx, dx, dy}, 3);
        add_tilted({x, y, dx, 3 * dy}, {x - dy, y + dy, dx, dy}, 3);
        add_tilted({x, y, 4 * dx, dy}, {x + dx, y + dx, 2 * dx, dy}, 2);
        add_tilted({x, y, dx, 4 * dy}, {x - dy, y + dy, dx, 2 * dy}, 2);
    }

    Size window_;
    HaarPool pool_;
    std::vector<HaarFeature> features_;
};

std::vector<HaarFeature> oro_features(Size window) {
    constexpr int least = 2;
    const Size grid{window.width - 1, window.height - 1};
    std::vector<HaarFeature> features;
    for_cells(grid, [&](int x, int y, int dx, int dy) {
        if (dx < least || dy < least) return;
        const auto fits = [&](int columns, int rows) {
            return x + columns * dx <= grid.width && y + rows * dy <= grid.height;
        };
        const auto add = [&](int columns, int rows, Rect part, float weight) {
            if (fits(columns, rows))
                add_to(features, feature_of(false, {x, y, columns * dx, rows * dy}, part, weight));
        };
        add(2, 1, {x + dx, y, dx, dy}, 2);
        add(1, 2, {x, y + dy, dx, dy}, 2);
        add(3, 1, {x + dx, y, dx, dy}, 3);
        add(1, 3, {x, y + dy, dx, dy}, 3);
        add(3, 3, {x + dx, y + dy, dx, dy}, 9);
        if (fits(2, 2)) add_to(features, chessboard(x, y, dx, dy));
    });
    return features;
}

}  // namespace

bool WindowFeatures::has_tilted() const {
    return std::any_of(haar.begin(), haar.end(), [](const HaarFeature& feature) { return feature.tilted; });
}

WindowFeatures haar_features(Size window, HaarPool pool) {
    check_window(window);
    WindowFeatures features{Cascade::Feature::haar, window, {}, {}};
    features.haar = pool == HaarPool::oro ? oro_features(window) : PoolMaker(window, pool).make();
    return features;
}

WindowFeatures lbp_features(Size window) {
    check_window(window);
    WindowFeatures features{Cascade::Feature::lbp, window, {}, {}};
    for_cells(window, [&](int x, int y, int dx, int dy) {
        if (x + 3 * dx <= window.width && y + 3 * dy <= window.height)
            add_to(features.lbp, LbpFeature{{x, y, dx, dy}});
    });
    return features;
}

}  // namespace fovea
