#include "kernels/boost/sample_integrals.hpp"

#include <stdexcept>

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include "kernels/core/align.hpp"
#include "kernels/haar_lbp/window_body.hpp"
#include "kernels/integral/integral.hpp"

namespace fovea {

SampleIntegrals::SampleIntegrals(Size window, std::span<const std::uint8_t> samples, bool with_tilted)
    : window_(window) {
    if (window.width < 3 || window.height < 3)
        throw std::invalid_argument("samples must have 3 pixels or more in both directions");
    const std::size_t bytes =
        static_cast<std::size_t>(window.width) * static_cast<std::size_t>(window.height);
    if (samples.size() % bytes != 0) {
        throw std::invalid_argument("the samples' bytes are no multiple of those of a window");
    }
    count_ = samples.size() / bytes;
    stride_ = (count_ + padding + 15) / 16 * 16;
    const std::size_t corners =
        static_cast<std::size_t>(window.width + 1) * static_cast<std::size_t>(window.height + 1);
    sums_.assign(corners * stride_, 0);
    if (with_tilted) tilted_.assign(corners * stride_, 0);
    inverse_deviations_.assign(stride_, 0);
    constexpr std::size_t grain = 64;
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, count_, grain),
                      [&](const auto& range) { take(range.begin(), range.end(), samples, with_tilted); });
}

void SampleIntegrals::take(std::size_t first, std::size_t last, std::span<const std::uint8_t> samples,
                           bool with_tilted) {
    const IntegralLayout layout = make_integral_layout(window_.width + 1, 0, false);
    IntegralBand band;
    band.reserve(layout, window_.height, true, with_tilted);
    const std::ptrdiff_t to_tilted = IntegralBand::tilted_offset(layout, window_.height);
    const std::size_t bytes =
        static_cast<std::size_t>(window_.width) * static_cast<std::size_t>(window_.height);
    const Size inner{window_.width - 2, window_.height - 2};
    for (std::size_t sample = first; sample < last; ++sample) {
        const ImageView<const std::uint8_t> image{samples.data() + sample * bytes, window_.width,
                                                  window_.height, window_.width};
        RowResizer rows(image, window_);
        band.compute(rows, window_.width, 0, window_.height, layout, true, with_tilted);
        for (int y = 0; y <= window_.height; ++y) {
            for (int x = 0; x <= window_.width; ++x) {
                const std::int32_t* const from = band.sum() + layout.offset(x, y);
                sums_[place(x, y) + sample] = *from;
                if (with_tilted) tilted_[place(x, y) + sample] = from[to_tilted];
            }
        }
        std::ptrdiff_t corners[4];
        const int right = 1 + inner.width, bottom = 1 + inner.height;
        corners[0] = layout.offset(1, 1);
        corners[1] = layout.offset(right, 1);
        corners[2] = layout.offset(1, bottom);
        corners[3] = layout.offset(right, bottom);
        const std::int32_t sum = rect_sum(corners, [&](std::ptrdiff_t at) { return band.sum()[at]; });
        // Modulo 2^32, as OpenCV has it.
        const std::uint32_t* const squares = band.squared();
        const std::uint32_t squared =
            squares[corners[0]] - squares[corners[1]] - squares[corners[2]] + squares[corners[3]];
        const WindowContrast contrast =
            window_contrast(sum, squared, static_cast<double>(inner.width) * inner.height);
        inverse_deviations_[sample] = contrast.valid ? contrast.inverse_deviation : 0;
    }
}

}  // namespace fovea
