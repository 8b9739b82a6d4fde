#include "tests/support/tile_scene.hpp"

#include <algorithm>
#include <stdexcept>

#include <opencv2/imgproc.hpp>

namespace fovea::test {

TileScene::TileScene(const TileLayout& layout, const GreyImage& pixels) : layout_(layout) {
    if (pixels.width != layout.pixel_width || pixels.height != layout.pixel_height) {
        throw std::invalid_argument("the image is not of the tile's size");
    }
    const cv::Mat image(pixels.height, pixels.width, CV_8U, const_cast<std::uint8_t*>(pixels.pixels.data()));
    cv::Mat sum;
    cv::Mat squared;
    cv::Mat tilted;
    cv::integral(image, sum, squared, tilted, CV_32S, CV_64F);
    const auto take = [](const cv::Mat& from) {
        Integral integral{from.cols, {}};
        for (int y = 0; y < from.rows; ++y) {
            for (int x = 0; x < from.cols; ++x) {
                // Sums of squares wrap, as those of the scans do.
                integral.sums.push_back(
                    from.depth() == CV_64F
                        ? static_cast<std::int32_t>(static_cast<std::uint64_t>(from.at<double>(y, x)))
                        : from.at<std::int32_t>(y, x));
            }
        }
        return integral;
    };
    sum_ = take(sum);
    squared_ = take(squared);
    tilted_ = take(tilted);
    elements_ = laid_out(sum_);
    squared_elements_ = laid_out(squared_);
    if (layout.tilted_offset > 0) {
        elements_.resize(layout.tilted_offset);
        const std::vector<std::int32_t> elements = laid_out(tilted_);
        elements_.insert(elements_.end(), elements.begin(), elements.end());
    }
}

std::vector<std::int32_t> TileScene::laid_out(const Integral& integral) const {
    // Places that no element lies in hold what would spoil a sum.
    std::vector<std::int32_t> elements(layout_.elements, 0x3FABCDEF);
    for (int y = 0; y <= layout_.pixel_height; ++y) {
        for (int x = 0; x <= layout_.pixel_width; ++x) {
            elements.at(layout_.offset(x, y)) = integral.at(x, y);
        }
    }
    return elements;
}

std::size_t TileScene::index(int column, int row, int byte_offset) const {
    if (byte_offset % 4 != 0) throw std::out_of_range("an offset between two elements");
    return static_cast<std::size_t>(column + row * layout_.pitch + byte_offset / 4);
}

std::int32_t TileScene::element(int column, int row, int byte_offset) const {
    return elements_.at(index(column, row, byte_offset));
}

std::uint32_t TileScene::squared_element(int column, int row, int byte_offset) const {
    return static_cast<std::uint32_t>(squared_elements_.at(index(column, row, byte_offset)));
}

float TileScene::value(const HaarFeature& feature, int column, int row) const {
    struct Place {
        int x, y;
    };
    Place corners[12];
    for (int i = 0; i < 3; ++i) {
        const Rect& r = feature.rects[i];
        Place* const c = corners + 4 * i;
        c[0] = {r.x, r.y};
        if (feature.tilted) {
            c[1] = {r.x - r.height, r.y + r.height};
            c[2] = {r.x + r.width, r.y + r.width};
            c[3] = {r.x + r.width - r.height, r.y + r.width + r.height};
        } else {
            c[1] = {r.x + r.width, r.y};
            c[2] = {r.x, r.y + r.height};
            c[3] = {r.x + r.width, r.y + r.height};
        }
    }
    const Integral& integral = feature.tilted ? tilted_ : sum_;
    return haar_value(corners, feature.weights.data(), feature.weights[2] != 0, [&](const Place& place) {
        return integral.at(column * layout_.step + place.x, row * layout_.step + place.y);
    });
}

int TileScene::code(const LbpFeature& feature, int column, int row) const {
    int corners[16];
    for (int i = 0; i < 16; ++i) corners[i] = i;
    return lbp_code(corners, [&](int i) {
        return sum_.at(column * layout_.step + feature.cell.x + i % 4 * feature.cell.width,
                       row * layout_.step + feature.cell.y + i / 4 * feature.cell.height);
    });
}

WindowContrast TileScene::contrast(Size window, int column, int row) const {
    const int x = column * layout_.step + 1;
    const int y = row * layout_.step + 1;
    const int right = x + window.width - 2;
    const int bottom = y + window.height - 2;
    const auto inner = [&](const Integral& i) {
        return static_cast<std::uint32_t>(i.at(x, y)) - static_cast<std::uint32_t>(i.at(right, y)) -
               static_cast<std::uint32_t>(i.at(x, bottom)) + static_cast<std::uint32_t>(i.at(right, bottom));
    };
    return window_contrast(static_cast<std::int32_t>(inner(sum_)), inner(squared_),
                           static_cast<double>(window.width - 2) * (window.height - 2));
}

std::optional<TileLayout> layout_for(const Cascade& cascade, int step, TileTable table) {
    if (!has_short_offsets(table)) return make_tile_layout(cascade.window, step, 24, cascade.has_tilted);
    for (int rows = 96; rows > 0; --rows) {
        const TileLayout layout = make_tile_layout(cascade.window, step, rows, cascade.has_tilted);
        if (layout.total_elements() <= 1 << 14) return layout;
    }
    return std::nullopt;
}

std::int32_t merged_value(const MergedFeature& feature, const TileScene& scene, int column, int row) {
    std::int64_t c[9];
    const int corners = (feature.kind & 0xF) == MergedFeature::edge ? 6 : 9;
    for (int i = 0; i < corners; ++i) {
        c[i] = scene.element(column, row, i < 8 ? feature.corners[i] : feature.last_corner);
    }
    switch (feature.kind & 0xF) {
        case MergedFeature::edge:
            return static_cast<std::int32_t>(c[0] + c[1] - c[2] - c[3] + 2 * (c[4] - c[5]));
        case MergedFeature::line:
            return static_cast<std::int32_t>(feature.weight * (c[4] - c[5] - c[6] + c[7]) -
                                             (c[0] - c[1] - c[2] + c[3]));
        case MergedFeature::quad:
            return static_cast<std::int32_t>(
                feature.weight * (c[0] + c[1] + c[2] + c[3] - 2 * (c[4] + c[5] + c[6] + c[7]) + 4 * c[8]));
        default:
            throw std::invalid_argument("a feature of no kind");
    }
}

}  // namespace fovea::test
