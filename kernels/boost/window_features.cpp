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

void check_count(Size window, std::uint64_t count) {
    if (count > max_pool_features) {
        throw std::invalid_argument("a window of " + std::to_string(window.width) + "x" +
                                    std::to_string(window.height) + " pixels has " + std::to_string(count) +
                                    " features of this pool, more than " + std::to_string(max_pool_features));
    }
}

/// Cells of least pixels or more along `side`, of which `cells` in a row fit.
std::uint64_t places(int side, int cells, int least) {
    std::uint64_t count = 0;
    for (int size = least; cells * size <= side; ++size)
        count += static_cast<std::uint64_t>(side - cells * size + 1);
    return count;
}

std::uint64_t upright_count(Size size, int columns, int rows, int least = 1) {
    return places(size.width, columns, least) * places(size.height, rows, least);
}

/// Stripes in a row and those one behind the other.
std::uint64_t stripe_count(Size size, int stripes, int least = 1) {
    return upright_count(size, stripes, 1, least) + upright_count(size, 1, stripes, least);
}

/// Tilted stripes in one direction: both their width and their height are that of both sides together.
std::uint64_t tilted_count(Size size, int stripes) {
    std::uint64_t count = 0;
    for (int dx = 1; stripes * dx < std::min(size.width, size.height); ++dx) {
        for (int dy = 1; stripes * dx + dy <= std::min(size.width, size.height); ++dy) {
            const int side = stripes * dx + dy;
            count += static_cast<std::uint64_t>(size.width - side + 1) *
                     static_cast<std::uint64_t>(size.height - side + 1);
        }
    }
    return count;
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

    std::vector<HaarFeature> make(std::uint64_t count) {
        features_.reserve(count);
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
            features_.push_back(feature_of(false, whole, part, weight));
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
        if (fits(x, y, 2 * dx, 2 * dy)) features_.push_back(chessboard(x, y, dx, dy));
        if (has_four) add({x, y, 3 * dx, 3 * dy}, {x + dx, y + dy, dx, dy}, 9);
    }

    // (x, y) is the top corner; the first side goes down to the right, the second down to the left.
    void add_tilted(Rect whole, Rect part, float weight) {
        const bool inside = whole.x - whole.height >= 0 && whole.x + whole.width <= window_.width &&
                            whole.y + whole.width + whole.height <= window_.height;
        if (inside) features_.push_back(feature_of(true, whole, part, weight));
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

constexpr int least_oro_cell = 2;

Size oro_grid(Size window) {
    return {window.width - 1, window.height - 1};
}

std::vector<HaarFeature> oro_features(Size window, std::uint64_t count) {
    const Size grid = oro_grid(window);
    std::vector<HaarFeature> features;
    features.reserve(count);
    for_cells(grid, [&](int x, int y, int dx, int dy) {
        if (dx < least_oro_cell || dy < least_oro_cell) return;
        const auto fits = [&](int columns, int rows) {
            return x + columns * dx <= grid.width && y + rows * dy <= grid.height;
        };
        const auto add = [&](int columns, int rows, Rect part, float weight) {
            if (fits(columns, rows))
                features.push_back(feature_of(false, {x, y, columns * dx, rows * dy}, part, weight));
        };
        add(2, 1, {x + dx, y, dx, dy}, 2);
        add(1, 2, {x, y + dy, dx, dy}, 2);
        add(3, 1, {x + dx, y, dx, dy}, 3);
        add(1, 3, {x, y + dy, dx, dy}, 3);
        add(3, 3, {x + dx, y + dy, dx, dy}, 9);
        if (fits(2, 2)) features.push_back(chessboard(x, y, dx, dy));
    });
    return features;
}

}  // namespace

bool WindowFeatures::has_tilted() const {
    return std::any_of(haar.begin(), haar.end(), [](const HaarFeature& feature) { return feature.tilted; });
}

std::uint64_t haar_feature_count(Size window, HaarPool pool) {
    check_window(window);
    if (pool == HaarPool::oro) {
        const Size grid = oro_grid(window);
        return stripe_count(grid, 2, least_oro_cell) + stripe_count(grid, 3, least_oro_cell) +
               upright_count(grid, 3, 3, least_oro_cell) + upright_count(grid, 2, 2, least_oro_cell);
    }
    std::uint64_t count = stripe_count(window, 2) + stripe_count(window, 3) + upright_count(window, 2, 2);
    if (pool != HaarPool::basic) count += stripe_count(window, 4) + upright_count(window, 3, 3);
    if (pool == HaarPool::all)
        count += 2 * (tilted_count(window, 2) + tilted_count(window, 3) + tilted_count(window, 4));
    return count;
}

std::uint64_t lbp_feature_count(Size window) {
    check_window(window);
    return upright_count(window, 3, 3);
}

WindowFeatures haar_features(Size window, HaarPool pool) {
    const std::uint64_t count = haar_feature_count(window, pool);
    check_count(window, count);
    WindowFeatures features{Cascade::Feature::haar, window, {}, {}};
    features.haar = pool == HaarPool::oro ? oro_features(window, count) : PoolMaker(window, pool).make(count);
    return features;
}

WindowFeatures lbp_features(Size window) {
    const std::uint64_t count = lbp_feature_count(window);
    check_count(window, count);
    WindowFeatures features{Cascade::Feature::lbp, window, {}, {}};
    features.lbp.reserve(count);
    for_cells(window, [&](int x, int y, int dx, int dy) {
        if (x + 3 * dx <= window.width && y + 3 * dy <= window.height)
            features.lbp.push_back({{x, y, dx, dy}});
    });
    return features;
}

}  // namespace fovea
