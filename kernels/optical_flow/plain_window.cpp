#include "kernels/optical_flow/plain_window.hpp"

#include <cstddef>
#include <cstdlib>

namespace fovea {
namespace {

struct Gradient {
    int x, y;
};

// Scharr's operator, unscaled; zero outside of the image.
Gradient gradient_at(const ImageView<const std::uint8_t>& image, int x, int y) {
    if (x < 0 || x >= image.width || y < 0 || y >= image.height) return {0, 0};
    const std::uint8_t* const above = image.row(y - 1) + x;
    const std::uint8_t* const here = image.row(y) + x;
    const std::uint8_t* const below = image.row(y + 1) + x;
    return {3 * (above[1] - above[-1] + below[1] - below[-1]) + 10 * (here[1] - here[-1]),
            3 * (below[-1] - above[-1] + below[1] - above[1]) + 10 * (below[0] - above[0])};
}

int weighted(const FlowWeights& w, int top_left, int top_right, int bottom_left, int bottom_right,
             int shift) {
    const int sum = w.top_left * top_left + w.top_right * top_right + w.bottom_left * bottom_left +
                    w.bottom_right * bottom_right;
    return (sum + (1 << (shift - 1))) >> shift;
}

int grey_at(const ImageView<const std::uint8_t>& image, const FlowPlace& place, int x, int y) {
    const std::uint8_t* const top = image.row(place.y + y) + place.x + x;
    const std::uint8_t* const bottom = top + image.stride;
    return weighted(place.weights, top[0], top[1], bottom[0], bottom[1], flow_grey_shift);
}

// Four chains and a tail, added to in the order of the calls.
class ChainSum {
  public:
    void add(int chain, int value) { chains_[chain] += static_cast<float>(value); }
    float total() const { return flow_total(chains_[4], chains_[0], chains_[1], chains_[2], chains_[3]); }
    static constexpr int tail = 4;

  private:
    float chains_[5] = {0, 0, 0, 0, 0};
};

}  // namespace

PlainWindow::PlainWindow(Size size)
    : size_(size), pixels_(static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height)) {}

FlowMatrix PlainWindow::start(const ImageView<const std::uint8_t>& image, const FlowPlace& place) {
    const int main_columns = flow_main_columns(size_.width);
    ChainSum xx, xy, yy;
    Pixel* pixel = pixels_.data();
    for (int y = 0; y < size_.height; ++y) {
        for (int x = 0; x < size_.width; ++x, ++pixel) {
            const int left = place.x + x, top = place.y + y;
            const Gradient corners[4] = {gradient_at(image, left, top), gradient_at(image, left + 1, top),
                                         gradient_at(image, left, top + 1),
                                         gradient_at(image, left + 1, top + 1)};
            pixel->grey = grey_at(image, place, x, y);
            pixel->x = weighted(place.weights, corners[0].x, corners[1].x, corners[2].x, corners[3].x,
                                flow_gradient_shift);
            pixel->y = weighted(place.weights, corners[0].y, corners[1].y, corners[2].y, corners[3].y,
                                flow_gradient_shift);
            const int chain = x < main_columns ? x % 4 : ChainSum::tail;
            xx.add(chain, pixel->x * pixel->x);
            xy.add(chain, pixel->x * pixel->y);
            yy.add(chain, pixel->y * pixel->y);
        }
    }
    return {xx.total(), xy.total(), yy.total()};
}

FlowMismatch PlainWindow::mismatch(const ImageView<const std::uint8_t>& next, const FlowPlace& place) const {
    const int main_columns = flow_main_columns(size_.width);
    ChainSum sum_x, sum_y;
    for (int y = 0; y < size_.height; ++y) {
        const Pixel* const row = pixels_.data() + static_cast<std::ptrdiff_t>(y) * size_.width;
        const auto difference = [&](int x) { return grey_at(next, place, x, y) - row[x].grey; };
        // Two columns at a distance of four are added as integers first.
        for (int x = 0; x < main_columns; x += 8) {
            for (int k = x; k < x + 4; ++k) {
                const int near = difference(k), far = difference(k + 4);
                sum_x.add(k % 4, near * row[k].x + far * row[k + 4].x);
                sum_y.add(k % 4, near * row[k].y + far * row[k + 4].y);
            }
        }
        for (int x = main_columns; x < size_.width; ++x) {
            sum_x.add(ChainSum::tail, difference(x) * row[x].x);
            sum_y.add(ChainSum::tail, difference(x) * row[x].y);
        }
    }
    return {sum_x.total(), sum_y.total()};
}

float PlainWindow::difference(const ImageView<const std::uint8_t>& next, const FlowPlace& place) const {
    float sum = 0;
    const Pixel* pixel = pixels_.data();
    for (int y = 0; y < size_.height; ++y) {
        for (int x = 0; x < size_.width; ++x, ++pixel) {
            sum += static_cast<float>(std::abs(grey_at(next, place, x, y) - pixel->grey));
        }
    }
    return sum;
}

}  // namespace fovea
