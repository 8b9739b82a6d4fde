#include "lib/train/samples/window_plane.hpp"

#include <algorithm>
#include <cmath>

namespace fovea {
namespace {

/// The pixels of a row or column that one pixel of the window is made of.
struct Taps {
    int first = 0;
    std::vector<double> weights;
    double total = 0;
};

int whole_within(double value, int extent) {
    return static_cast<int>(std::clamp(std::floor(value), 0.0, static_cast<double>(extent - 1)));
}

Taps linear_taps(double position, int extent) {
    position = std::clamp(position - 0.5, 0.0, static_cast<double>(extent - 1));
    const int first = whole_within(position, extent);
    const double share = position - first;
    if (share == 0) return {first, {1}, 1};
    return {first, {1 - share, share}, 1};
}

// A pixel beyond a border counts as the one at the border.
Taps area_taps(double from, double to, int extent) {
    const int first = whole_within(from, extent);
    const int last = std::max(first, whole_within(std::ceil(to) - 1, extent));
    Taps taps{first, {}, to - from};
    for (int i = first; i <= last; ++i) {
        const double begin = i == first ? from : i;
        const double end = i == last ? to : i + 1;
        taps.weights.push_back(end - begin);
    }
    return taps;
}

std::vector<Taps> taps_of(double from, double length, int pixels, int extent, Resampling resampling) {
    const double scale = length / pixels;
    std::vector<Taps> taps;
    taps.reserve(static_cast<std::size_t>(pixels));
    for (int i = 0; i < pixels; ++i) {
        taps.push_back(resampling == Resampling::area && scale > 1
                           ? area_taps(from + i * scale, from + (i + 1) * scale, extent)
                           : linear_taps(from + (i + 0.5) * scale, extent));
    }
    return taps;
}

double weighted_sum(const std::uint8_t* pixels, const Taps& taps) {
    double sum = 0;
    for (std::size_t i = 0; i < taps.weights.size(); ++i) sum += taps.weights[i] * pixels[taps.first + i];
    return sum;
}

/// The sums of rows over the columns' taps; keeps the last one, which two rows of a window may share.
class RowSums {
  public:
    RowSums(ImageView<const std::uint8_t> image, const std::vector<Taps>& columns)
        : image_(image), columns_(columns), sums_(columns.size()) {}

    const std::vector<double>& row(int y) {
        if (y != y_) {
            for (std::size_t x = 0; x < columns_.size(); ++x) {
                sums_[x] = weighted_sum(image_.row(y), columns_[x]);
            }
            y_ = y;
        }
        return sums_;
    }

  private:
    ImageView<const std::uint8_t> image_;
    const std::vector<Taps>& columns_;
    std::vector<double> sums_;
    int y_ = -1;
};

template <class Value>
void mirror_rows(std::vector<Value>& values, Size window) {
    for (int y = 0; y < window.height; ++y) {
        const auto row = values.begin() + static_cast<std::ptrdiff_t>(y) * window.width;
        std::reverse(row, row + window.width);
    }
}

}  // namespace

WindowPlane resampled(ImageView<const std::uint8_t> image, const Box& box, Size window,
                      Resampling resampling) {
    const std::vector<Taps> columns = taps_of(box.x, box.w, window.width, image.width, resampling);
    const std::vector<Taps> rows = taps_of(box.y, box.h, window.height, image.height, resampling);
    const auto width = static_cast<std::size_t>(window.width);
    WindowPlane plane(width * rows.size());
    RowSums sums(image, columns);
    for (std::size_t y = 0; y < rows.size(); ++y) {
        double* const to = plane.data() + y * width;
        for (std::size_t i = 0; i < rows[y].weights.size(); ++i) {
            const std::vector<double>& of_row = sums.row(rows[y].first + static_cast<int>(i));
            for (std::size_t x = 0; x < width; ++x) to[x] += rows[y].weights[i] * of_row[x];
        }
        for (std::size_t x = 0; x < width; ++x) to[x] /= columns[x].total * rows[y].total;
    }
    return plane;
}

std::vector<std::uint8_t> rounded(const WindowPlane& plane) {
    std::vector<std::uint8_t> pixels(plane.size());
    for (std::size_t i = 0; i < plane.size(); ++i) {
        pixels[i] = static_cast<std::uint8_t>(std::clamp(std::floor(plane[i] + 0.5), 0.0, 255.0));
    }
    return pixels;
}

void mirror(WindowPlane& plane, Size window) {
    mirror_rows(plane, window);
}

void mirror(std::vector<std::uint8_t>& pixels, Size window) {
    mirror_rows(pixels, window);
}

}  // namespace fovea
