#include "kernels/optical_flow/flow_pyramid.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <deque>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>

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
// Few, because a row of a coarse level needs many of the finest one.
constexpr int rows_of_band = 8;

void check_arguments(Size image, Size window, int max_level) {
    if (image.width <= 0 || image.height <= 0)
        throw std::invalid_argument("optical flow needs an image that is not empty");
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

// Row `to`, which lies outside of the level.
void mirror_row(const ImageView<std::uint8_t>& level, Size border, int to) {
    std::memcpy(level.row(to) - border.width, level.row(mirrored(to, level.height)) - border.width,
                static_cast<std::size_t>(level.width + 2 * border.width));
}

void mirror_rows(const ImageView<std::uint8_t>& level, Size border) {
    for (int i = 1; i <= border.height; ++i) {
        mirror_row(level, border, -i);
        mirror_row(level, border, level.height - 1 + i);
    }
}

void copy_image_rows(const ImageView<const std::uint8_t>& image, const ImageView<std::uint8_t>& to, int first,
                     int last) {
    for (int y = first; y < last; ++y) {
        std::memcpy(to.row(y), image.row(y), static_cast<std::size_t>(image.width));
    }
}

template <class MakeRow>
void make_all_rows(const ImageView<std::uint8_t>& level, Size border, const MakeRow& make_rows_of) {
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

FlowLevels lay_out_flow_levels(Size image, Size window, int max_level) {
    check_arguments(image, window, max_level);
    const auto border_columns = static_cast<std::size_t>(window.width) + 1,
               border_rows = static_cast<std::size_t>(window.height) + 1;
    const std::size_t left = align_up(border_columns, row_alignment);
    FlowLevels all;
    do {
        const std::size_t stride = align_up(
            left + static_cast<std::size_t>(image.width) + border_columns + right_slack, row_alignment);
        all.levels.push_back(
            {image, static_cast<std::ptrdiff_t>(stride), all.bytes + border_rows * stride + left});
        all.bytes += stride * (static_cast<std::size_t>(image.height) + 2 * border_rows);
        image = half_size(image);
    } while (static_cast<int>(all.levels.size()) <= max_level && image.width > window.width &&
             image.height > window.height);
    return all;
}

/// The rows that were made of a pyramid on demand.
struct FlowPyramid::Demand {
    struct LevelState {
        explicit LevelState(int height)
            : bands(static_cast<std::size_t>((height + rows_of_band - 1) / rows_of_band)) {}
        std::vector<std::atomic<bool>> bands;  ///< of rows_of_band rows each
        std::atomic<bool> top{false}, bottom{false};
    };

    ImageView<const std::uint8_t> image;
    std::deque<LevelState> levels;
    std::mutex mutex;  ///< of the thread that makes rows
};

FlowPyramid::FlowPyramid() = default;
FlowPyramid::~FlowPyramid() = default;
FlowPyramid::FlowPyramid(FlowPyramid&&) noexcept = default;
FlowPyramid& FlowPyramid::operator=(FlowPyramid&&) noexcept = default;

void FlowPyramid::lay_out(const ImageView<const std::uint8_t>& image, Size window, int max_level) {
    FlowLevels all = lay_out_flow_levels({image.width, image.height}, window, max_level);
    demand_.reset();
    levels_ = std::move(all.levels);
    window_ = window;
    pixels_.resize(all.bytes);
}

void FlowPyramid::build(const ImageView<const std::uint8_t>& image, Size window, int max_level) {
    lay_out(image, window, max_level);
    const ImageView<std::uint8_t> first = view(levels_[0]);
    make_all_rows(first, readable_border(),
                  [&](int begin, int end) { copy_image_rows(image, first, begin, end); });
    for (std::size_t l = 1; l < levels_.size(); ++l) {
        const ImageView<const std::uint8_t> from = view(levels_[l - 1]);
        const ImageView<std::uint8_t> to = view(levels_[l]);
        make_all_rows(to, readable_border(), [&](int begin, int end) { halve_rows(from, to, begin, end); });
    }
}

void FlowPyramid::build_on_demand(const ImageView<const std::uint8_t>& image, Size window, int max_level) {
    lay_out(image, window, max_level);
    demand_ = std::make_unique<Demand>();
    demand_->image = image;
    for (const FlowLevel& level : levels_) demand_->levels.emplace_back(level.size.height);
}

void FlowPyramid::make_rows(int level, int first, int last) const {
    if (demand_ == nullptr || has_rows(level, first, last)) return;
    const std::lock_guard lock(demand_->mutex);
    make_missing_rows(level, first, last);
}

bool FlowPyramid::has_rows(int level, int first, int last) const {
    const Demand::LevelState& state = demand_->levels[static_cast<std::size_t>(level)];
    const int height = levels_[static_cast<std::size_t>(level)].size.height;
    if (first < 0 && !state.top.load(std::memory_order_acquire)) return false;
    if (last > height && !state.bottom.load(std::memory_order_acquire)) return false;
    const int end = std::min(last, height);
    for (int y = std::max(first, 0); y < end; y = (y / rows_of_band + 1) * rows_of_band) {
        const auto band = static_cast<std::size_t>(y / rows_of_band);
        if (!state.bands[band].load(std::memory_order_acquire)) return false;
    }
    return true;
}

void FlowPyramid::make_missing_rows(int level, int first, int last) const {
    Demand::LevelState& state = demand_->levels[static_cast<std::size_t>(level)];
    const int height = levels_[static_cast<std::size_t>(level)].size.height;
    const int end = std::min(last, height);
    for (int y = std::max(first, 0); y < end; y = (y / rows_of_band + 1) * rows_of_band) {
        if (!state.bands[static_cast<std::size_t>(y / rows_of_band)]) make_band(level, y / rows_of_band);
    }
    if (first < 0 && !state.top) make_border(level, true);
    if (last > height && !state.bottom) make_border(level, false);
}

void FlowPyramid::make_band(int level, int band) const {
    const auto place = static_cast<std::size_t>(level);
    const ImageView<std::uint8_t> to = view(levels_[place]);
    const int first = band * rows_of_band, last = std::min(first + rows_of_band, to.height);
    if (level == 0) {
        copy_image_rows(demand_->image, to, first, last);
    } else {
        make_missing_rows(level - 1, 2 * first - 2, 2 * last + 1);
        halve_rows(view(levels_[place - 1]), to, first, last);
    }
    for (int y = first; y < last; ++y) mirror_columns(to.row(y), to.width, readable_border().width);
    demand_->levels[place].bands[static_cast<std::size_t>(band)].store(true, std::memory_order_release);
}

void FlowPyramid::make_border(int level, bool top) const {
    const auto place = static_cast<std::size_t>(level);
    const ImageView<std::uint8_t> to = view(levels_[place]);
    for (int i = 1; i <= readable_border().height; ++i) {
        const int row = top ? -i : to.height - 1 + i, source = mirrored(row, to.height);
        make_missing_rows(level, source, source + 1);
        mirror_row(to, readable_border(), row);
    }
    Demand::LevelState& state = demand_->levels[place];
    (top ? state.top : state.bottom).store(true, std::memory_order_release);
}

ImageView<std::uint8_t> FlowPyramid::view(const FlowLevel& level) const {
    return {pixels_.data() + level.origin, level.size.width, level.size.height, level.stride};
}

ImageView<const std::uint8_t> FlowPyramid::level(int number) const {
    return view(levels_.at(static_cast<std::size_t>(number)));
}

}  // namespace fovea
