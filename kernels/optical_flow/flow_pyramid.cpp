#include "kernels/optical_flow/flow_pyramid.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>

#include <tbb/parallel_for.h>

#include "kernels/core/align.hpp"
#include "kernels/optical_flow/flow_body.hpp"
#include "kernels/optical_flow/flow_pyramid_simd.hpp"

namespace fovea {
namespace {

// A cache line: rows begin at one.
constexpr std::size_t row_alignment = 64;
// Bytes that vectors may read behind the last column of the border.
constexpr std::size_t right_slack = 32;
constexpr int rows_of_task = 32;

void check_arguments(const ImageView<const std::uint8_t>& image, Size window, int max_level) {
    if (image.empty()) throw std::invalid_argument("optical flow needs an image that is not empty");
    if (window.width < 3 || window.height < 3) {
        throw std::invalid_argument("the window of optical flow is " + std::to_string(window.width) + "x" +
                                    std::to_string(window.height) + "; it needs at least 3x3 pixels");
    }
    if (max_level < 0) {
        throw std::invalid_argument("the last level of optical flow is " + std::to_string(max_level) +
                                    "; it must be 0 or more");
    }
}

// The columns to the left and right of a row.
void mirror_columns(std::uint8_t* row, int width, int border) {
    for (int i = 1; i <= border; ++i) {
        row[-i] = row[mirrored(-i, width)];
        row[width - 1 + i] = row[mirrored(width - 1 + i, width)];
    }
}

void mirror_rows(const ImageView<std::uint8_t>& level, Size border) {
    const auto bytes = static_cast<std::size_t>(level.width + 2 * border.width);
    const auto copy = [&](int to) {
        std::memcpy(level.row(to) - border.width, level.row(mirrored(to, level.height)) - border.width,
                    bytes);
    };
    for (int i = 1; i <= border.height; ++i) {
        copy(-i);
        copy(level.height - 1 + i);
    }
}

template <class MakeRow>
void make_rows(const ImageView<std::uint8_t>& level, Size border, const MakeRow& make_rows_of) {
    const int tasks = (level.height + rows_of_task - 1) / rows_of_task;
    const auto make_task = [&](int task) {
        const int first = task * rows_of_task, last = std::min(first + rows_of_task, level.height);
        make_rows_of(first, last);
        for (int y = first; y < last; ++y) mirror_columns(level.row(y), level.width, border.width);
    };
    if (tasks == 1) {
        make_task(0);
    } else {
        tbb::parallel_for(0, tasks, make_task);
    }
    mirror_rows(level, border);
}

}  // namespace

int flow_level_count(Size image, Size window, int max_level) {
    int count = 1;
    for (; count <= max_level; ++count) {
        image = half_size(image);
        if (image.width <= window.width || image.height <= window.height) break;
    }
    return count;
}

void FlowPyramid::build(const ImageView<const std::uint8_t>& image, Size window, int max_level) {
    check_arguments(image, window, max_level);
    lay_out({image.width, image.height}, window, max_level);
    const ImageView<std::uint8_t> first = view(levels_[0]);
    make_rows(first, readable_border(), [&](int begin, int end) {
        for (int y = begin; y < end; ++y) {
            std::memcpy(first.row(y), image.row(y), static_cast<std::size_t>(image.width));
        }
    });
    for (std::size_t l = 1; l < levels_.size(); ++l) {
        const ImageView<const std::uint8_t> from = view(levels_[l - 1]);
        const ImageView<std::uint8_t> to = view(levels_[l]);
        make_rows(to, readable_border(), [&](int begin, int end) { halve_rows(from, to, begin, end); });
    }
}

void FlowPyramid::lay_out(Size size, Size window, int max_level) {
    const int count = flow_level_count(size, window, max_level);
    if (!levels_.empty() && levels_[0].size == size && window_ == window && level_count() == count) return;
    levels_.clear();
    window_ = window;
    const Size border = readable_border();
    const std::size_t left = align_up(static_cast<std::size_t>(border.width), row_alignment);
    std::size_t bytes = 0;
    for (int l = 0; l < count; ++l) {
        Level level;
        level.size = size;
        const std::size_t stride = align_up(left + static_cast<std::size_t>(size.width) +
                                                static_cast<std::size_t>(border.width) + right_slack,
                                            row_alignment);
        level.stride = static_cast<std::ptrdiff_t>(stride);
        level.origin = bytes + static_cast<std::size_t>(border.height) * stride + left;
        bytes +=
            stride * (static_cast<std::size_t>(size.height) + 2 * static_cast<std::size_t>(border.height));
        levels_.push_back(level);
        size = half_size(size);
    }
    pixels_.resize(bytes);
}

ImageView<std::uint8_t> FlowPyramid::view(const Level& level) {
    return {pixels_.data() + level.origin, level.size.width, level.size.height, level.stride};
}

ImageView<const std::uint8_t> FlowPyramid::level(int number) const {
    const Level& level = levels_.at(static_cast<std::size_t>(number));
    return {pixels_.data() + level.origin, level.size.width, level.size.height, level.stride};
}

}  // namespace fovea
