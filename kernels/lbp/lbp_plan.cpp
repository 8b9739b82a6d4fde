#include "kernels/lbp/lbp_plan.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <string>

#include "kernels/lbp/lbp_body.hpp"

namespace fovea {
namespace {

// Offsets are rounded to 1e-8 pixel, far above the errors of cos and sin, so that no library's last bit
// decides about weights, and far below what a weight of 1/255 can tell.
constexpr std::int64_t units_of_pixel = 100'000'000;

struct Offset {
    int whole = 0;
    std::int64_t fraction = 0;  // 0 to units_of_pixel - 1
};

Offset offset_of(double pixels) {
    const std::int64_t units = std::llround(pixels * static_cast<double>(units_of_pixel));
    std::int64_t whole = units / units_of_pixel, fraction = units % units_of_pixel;
    if (fraction < 0) {
        --whole;
        fraction += units_of_pixel;
    }
    return {static_cast<int>(whole), fraction};
}

// 255 times the bilinear weights, rounded so that they add up to 255 by the method of largest remainders; of
// equal remainders the first in the order of pixels is rounded up.
std::array<std::uint8_t, 4> rounded_weights(std::int64_t right, std::int64_t down) {
    constexpr std::int64_t one = units_of_pixel * units_of_pixel;
    const std::int64_t left = units_of_pixel - right, up = units_of_pixel - down;
    const std::array<std::int64_t, 4> areas{left * up, right * up, left * down, right * down};
    std::array<std::uint8_t, 4> weights{};
    std::array<std::int64_t, 4> remainders{};
    int missing = 255;
    for (std::size_t i = 0; i < 4; ++i) {
        weights[i] = static_cast<std::uint8_t>(255 * areas[i] / one);
        remainders[i] = 255 * areas[i] % one;
        missing -= weights[i];
    }
    for (; missing > 0; --missing) {
        const auto largest = std::max_element(remainders.begin(), remainders.end());
        ++weights[static_cast<std::size_t>(largest - remainders.begin())];
        *largest = -1;
    }
    return weights;
}

LbpSample sample_at(double x, double y) {
    const Offset column = offset_of(x), row = offset_of(y);
    LbpSample sample{column.whole, row.whole, rounded_weights(column.fraction, row.fraction)};
    auto& w = sample.weights;
    // A sample that rounding leaves with its right or lower pixels alone begins there: nothing is read for
    // weights of 0.
    if (w[0] == 0 && w[2] == 0) {
        ++sample.x;
        w = {w[1], 0, w[3], 0};
    }
    if (w[0] == 0 && w[1] == 0) {
        ++sample.y;
        w = {w[2], w[3], 0, 0};
    }
    return sample;
}

bool is_uniform(std::uint32_t code, int points) {
    const std::uint32_t turned = (code >> 1) | ((code & 1) << (points - 1));
    return std::popcount(code ^ turned) <= 2;
}

void check_size(Size size, const char* what) {
    if (size.width >= 1 && size.height >= 1) return;
    throw std::invalid_argument("regions of a face: the " + std::string(what) + " is " +
                                std::to_string(size.width) + "x" + std::to_string(size.height) +
                                " pixels, not at least 1x1");
}

void check_fits(Size size, Size face) {
    if (size.width <= face.width && size.height <= face.height) return;
    throw std::invalid_argument("regions of a face: " + std::to_string(size.width) + "x" +
                                std::to_string(size.height) + " pixels do not fit into a face of " +
                                std::to_string(face.width) + "x" + std::to_string(face.height));
}

// Half up, in integers.
int rounded_ratio(int dividend, int divisor) {
    return static_cast<int>((2 * std::int64_t{dividend} + divisor) / (2 * std::int64_t{divisor}));
}

}  // namespace

LbpPlan make_lbp_plan(const LbpOperator& lbp) {
    if (lbp.points < 4 || lbp.points > 16) {
        throw std::invalid_argument("a local binary pattern has " + std::to_string(lbp.points) +
                                    " points, not 4 to 16");
    }
    if (!(lbp.radius >= 0.5 && lbp.radius <= 32)) {
        throw std::invalid_argument("a local binary pattern has a radius of " + std::to_string(lbp.radius) +
                                    " pixels, not 0.5 to 32");
    }
    LbpPlan plan;
    plan.lbp = lbp;
    plan.margin = static_cast<int>(std::ceil(lbp.radius));
    for (int p = 0; p < lbp.points; ++p) {
        const double angle_rad = 2 * std::numbers::pi * p / lbp.points;
        plan.samples.push_back(
            sample_at(lbp.radius * std::cos(angle_rad), -lbp.radius * std::sin(angle_rad)));
    }
    const std::uint32_t codes = 1U << lbp.points;
    plan.bins = lbp.uniform ? uniform_bins(lbp.points) : codes;
    plan.labels.reserve(codes);
    std::uint16_t next = 0;
    for (std::uint32_t code = 0; code < codes; ++code) {
        const bool own = !lbp.uniform || is_uniform(code, lbp.points);
        plan.labels.push_back(own ? next++ : static_cast<std::uint16_t>(plan.bins - 1));
    }
    return plan;
}

std::uint32_t lbp_code(const LbpPlan& plan, ImageView<const std::uint8_t> image, int x, int y) {
    const int centre = 255 * image(x, y);
    std::uint32_t code = 0;
    for (std::size_t p = 0; p < plan.samples.size(); ++p) {
        const LbpSample& sample = plan.samples[p];
        int sum = 0;
        for (int i = 0; i < 4; ++i) {
            const int weight = sample.weights[static_cast<std::size_t>(i)];
            // A pixel without weight may lie outside the image.
            if (weight != 0) sum += weight * image(x + sample.x + i % 2, y + sample.y + i / 2);
        }
        if (centre <= sum) code |= 1U << p;
    }
    return code;
}

std::vector<Rect> regions_by_cell(Size face, Size cell) {
    check_size(face, "face");
    check_size(cell, "cell");
    check_fits(cell, face);
    const int columns = rounded_ratio(face.width, cell.width);
    const int rows = rounded_ratio(face.height, cell.height);
    std::vector<Rect> regions;
    for (int row = 0; row < rows; ++row) {
        for (int column = 0; column < columns; ++column) {
            const int x = column * cell.width, y = row * cell.height;
            regions.push_back({x, y, column + 1 < columns ? cell.width : face.width - x,
                               row + 1 < rows ? cell.height : face.height - y});
        }
    }
    return regions;
}

std::vector<Rect> regions_by_count(Size face, int columns, int rows) {
    check_size(face, "face");
    if (columns < 1 || columns > face.width || rows < 1 || rows > face.height) {
        throw std::invalid_argument("regions of a face: " + std::to_string(columns) + "x" +
                                    std::to_string(rows) + " cells cannot divide " +
                                    std::to_string(face.width) + "x" + std::to_string(face.height) +
                                    " pixels");
    }
    const auto edge = [](int i, int length, int cells) {
        return static_cast<int>(std::int64_t{i} * length / cells);
    };
    std::vector<Rect> regions;
    for (int row = 0; row < rows; ++row) {
        const int top = edge(row, face.height, rows), bottom = edge(row + 1, face.height, rows);
        for (int column = 0; column < columns; ++column) {
            const int left = edge(column, face.width, columns);
            regions.push_back({left, top, edge(column + 1, face.width, columns) - left, bottom - top});
        }
    }
    return regions;
}

std::vector<Rect> regions_by_stride(Size face, Size size, Size stride) {
    check_size(face, "face");
    check_size(size, "region");
    check_size(stride, "stride");
    check_fits(size, face);
    std::vector<Rect> regions;
    for (int row = 0; row <= (face.height - size.height) / stride.height; ++row) {
        for (int column = 0; column <= (face.width - size.width) / stride.width; ++column) {
            regions.push_back({column * stride.width, row * stride.height, size.width, size.height});
        }
    }
    return regions;
}

}  // namespace fovea
