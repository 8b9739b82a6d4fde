#include "kernels/resize/column_taps.hpp"

#include <algorithm>
#include <cstddef>

#include "kernels/resize/blend_simd.hpp"
#include "kernels/resize/resize.hpp"

namespace fovea {

ColumnTaps::ColumnTaps(Size source, Size destination) {
    require_pixels(source, destination);
    if (source == destination) return;
    const double scale = resize_scale(source.width, destination.width);
    taps_.resize(static_cast<std::size_t>(destination.width));
    for (int x = 0; x < destination.width; ++x) taps_[x] = linear_tap(x, scale, source.width);
    make_groups(source.width);
}

void ColumnTaps::make_groups(int source_width) {
    constexpr int most_windows = 4;
    const int groups = size() / group_columns;
    const auto fits = [&](int windows) {
        const int columns = group_columns / windows;
        for (int x = 0; x + columns <= groups * group_columns; x += columns) {
            if (taps_[x + columns - 1].next - taps_[x].offset >= window_pixels) return false;
        }
        return true;
    };
    while (windows_per_group_ <= most_windows && !fits(windows_per_group_)) windows_per_group_ *= 2;
    if (windows_per_group_ > most_windows) return;
    const int columns = group_columns / windows_per_group_;
    for (int group = 0; group < groups; ++group) {
        const LinearTap* const taps = taps_.data() + group * group_columns;
        if (taps[group_columns - columns].offset + window_pixels > source_width) return;
        for (int first = 0; first < group_columns; first += columns) {
            Window window;
            window.first = taps[first].offset;
            std::fill(std::begin(window.places), std::end(window.places), std::uint8_t{0x80});
            for (int i = first; i < first + columns; ++i) {
                window.places[2 * i] = static_cast<std::uint8_t>(taps[i].offset - window.first);
                window.places[2 * i + 1] = static_cast<std::uint8_t>(taps[i].next - window.first);
            }
            windows_.push_back(window);
        }
        for (int i = 0; i < group_columns; ++i)
            weights_.push_back(static_cast<std::uint16_t>(taps[i].weight));
    }
}

void ColumnTaps::blend(const std::uint8_t* pixels, std::uint16_t* to) const {
    const int groups = static_cast<int>(weights_.size()) / group_columns;
    for (int x = blend_groups(pixels, windows_.data(), windows_per_group_, weights_.data(), groups, to);
         x < size(); ++x) {
        const LinearTap tap = taps_[x];
        to[x] = static_cast<std::uint16_t>(blend_columns(pixels[tap.offset], pixels[tap.next], tap.weight));
    }
}

}  // namespace fovea
