// Compiled once for every instruction set and chosen at run time (Highway). A lane is a channel.

#include "kernels/face_embedding/face_resnet_simd.hpp"

#include <algorithm>

#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV | HWY_WASM_EMU256)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/face_embedding/face_resnet_simd.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace fovea {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::CappedTag<float, 16>;
using Vector = hn::Vec<Floats>;
constexpr std::size_t lanes = hn::MaxLanes(Floats());

// A block of results stays in registers: so many rows of so many vectors. Two or more of the 16 or 32 are
// left for weights and for a value.
constexpr std::size_t block_outputs = lanes == 16 ? 32 : 16;
constexpr std::size_t block_columns = block_outputs / lanes;
/// Weights are asked for so many values before they are used: those of small maps come from memory.
constexpr std::size_t weights_ahead = 512;
constexpr std::size_t block_rows = lanes == 16 ? 12 : lanes == 8 ? 6 : lanes == 1 ? 1 : HWY_ARCH_ARM ? 6 : 3;

/// \param panels at the first of block_outputs.
template <std::size_t rows>
HWY_INLINE void multiply_block(const FaceResnetProduct& product, const float* from, const float* panels,
                               const float* start, float* to) {
    const Floats d;
    const std::size_t inputs = product.runs * product.run_length, row_step = product.row_step;
    const auto offset = [&](std::size_t column) {
        const std::size_t output = column * lanes;
        return output / face_resnet_panel * inputs * face_resnet_panel + output % face_resnet_panel;
    };
    Vector sums[rows][block_columns];
    for (std::size_t j = 0; j < block_columns; ++j) {
        const Vector first = start == nullptr ? hn::Zero(d) : hn::Load(d, start + j * lanes);
        for (std::size_t r = 0; r < rows; ++r) sums[r][j] = first;
    }
    for (std::size_t run = 0; run < product.runs; ++run) {
        const float* const end = from + product.run_length;
        for (const float* at = from; at < end; ++at) {
            Vector weights[block_columns];
            for (std::size_t j = 0; j < block_columns; ++j) weights[j] = hn::Load(d, panels + offset(j));
            hwy::Prefetch(panels + weights_ahead);
            panels += face_resnet_panel;
            for (std::size_t r = 0; r < rows; ++r) {
                const Vector value = hn::Set(d, at[r * row_step]);
                for (std::size_t j = 0; j < block_columns; ++j)
                    sums[r][j] = hn::MulAdd(value, weights[j], sums[r][j]);
            }
        }
        from += product.run_step;
    }
    for (std::size_t r = 0; r < rows; ++r) {
        for (std::size_t j = 0; j < block_columns; ++j) {
            Vector sum = sums[r][j];
            if (product.rectifies) sum = hn::Max(sum, hn::Zero(d));
            hn::StoreU(sum, d, to + r * product.to_step + j * lanes);
        }
    }
}

/// multiply_block() for a number of rows that is known at run time, 1 to `rows`.
template <std::size_t rows>
HWY_INLINE void multiply_rows(std::size_t count, const FaceResnetProduct& product, const float* from,
                              const float* panels, const float* start, float* to) {
    if constexpr (rows > 1) {
        if (count < rows) {
            multiply_rows<rows - 1>(count, product, from, panels, start, to);
            return;
        }
    }
    multiply_block<rows>(product, from, panels, start, to);
}

void run_product(const FaceResnetProduct& product) {
    const std::size_t inputs = product.runs * product.run_length;
    const std::size_t blocks = (product.rows + block_rows - 1) / block_rows;
    for (std::size_t output = 0; output < product.outputs; output += block_outputs) {
        const float* const start = product.start == nullptr ? nullptr : product.start + output;
        // Blocks of about the same number of rows: few rows take as long as some more.
        for (std::size_t block = 0; block < blocks; ++block) {
            const std::size_t row = product.rows * block / blocks;
            const std::size_t end = product.rows * (block + 1) / blocks;
            multiply_rows<block_rows>(end - row, product, product.from + row * product.row_step,
                                      product.panels + output * inputs, start,
                                      product.to + row * product.to_step + output);
        }
    }
}

void run_pooling(const float* const (&rows)[3], std::size_t width, std::size_t channels, float* to) {
    const Floats d;
    for (std::size_t x = 0; x < width; ++x) {
        for (std::size_t c = 0; c < channels; c += lanes) {
            Vector most = hn::Load(d, rows[0] + 2 * x * channels + c);
            for (const float* const row : rows) {
                for (std::size_t i = 0; i < 3; ++i)
                    most = hn::Max(most, hn::Load(d, row + (2 * x + i) * channels + c));
            }
            hn::Store(most, d, to + x * channels + c);
        }
    }
}

// Winograd's transforms in one dimension (Lavin and Gray 2016, section 4.1).

HWY_INLINE void transform_values(const Vector (&x)[4], Vector (&y)[4]) {
    y[0] = hn::Sub(x[0], x[2]);
    y[1] = hn::Add(x[1], x[2]);
    y[2] = hn::Sub(x[2], x[1]);
    y[3] = hn::Sub(x[1], x[3]);
}

HWY_INLINE void transform_values(const Vector (&x)[6], Vector (&y)[6]) {
    const Floats d;
    const Vector four = hn::Set(d, 4.0F), minus_five = hn::Set(d, -5.0F);
    const Vector a = hn::NegMulAdd(four, x[2], x[4]), b = hn::NegMulAdd(four, x[1], x[3]);
    const Vector c = hn::Sub(x[4], x[2]), half = hn::Sub(x[3], x[1]), e = hn::Add(half, half);
    y[0] = hn::MulAdd(four, x[0], hn::MulAdd(minus_five, x[2], x[4]));
    y[1] = hn::Add(a, b);
    y[2] = hn::Sub(a, b);
    y[3] = hn::Add(c, e);
    y[4] = hn::Sub(c, e);
    y[5] = hn::MulAdd(four, x[1], hn::MulAdd(minus_five, x[3], x[5]));
}

HWY_INLINE void transform_products(const Vector (&x)[4], Vector (&y)[2]) {
    y[0] = hn::Add(hn::Add(x[0], x[1]), x[2]);
    y[1] = hn::Sub(hn::Sub(x[1], x[2]), x[3]);
}

HWY_INLINE void transform_products(const Vector (&x)[6], Vector (&y)[4]) {
    const Floats d;
    const Vector a = hn::Add(x[1], x[2]), b = hn::Sub(x[1], x[2]);
    const Vector c = hn::Add(x[3], x[4]), e = hn::Sub(x[3], x[4]);
    y[0] = hn::Add(hn::Add(x[0], a), c);
    y[1] = hn::MulAdd(hn::Set(d, 2.0F), e, b);
    y[2] = hn::MulAdd(hn::Set(d, 4.0F), c, a);
    y[3] = hn::Add(hn::MulAdd(hn::Set(d, 8.0F), e, b), x[5]);
}

/// \param from top left of the (tile + 2)² values. \param to in the first plane.
template <std::size_t tile>
HWY_INLINE void transform_tile(const float* from, std::size_t row_step, std::size_t channels, float* to,
                               std::size_t plane) {
    constexpr std::size_t size = tile + 2;
    const Floats d;
    for (std::size_t c = 0; c < channels; c += lanes) {
        Vector halfway[size][size];
        for (std::size_t column = 0; column < size; ++column) {
            Vector x[size], y[size];
            for (std::size_t row = 0; row < size; ++row)
                x[row] = hn::Load(d, from + row * row_step + column * channels + c);
            transform_values(x, y);
            for (std::size_t row = 0; row < size; ++row) halfway[row][column] = y[row];
        }
        for (std::size_t row = 0; row < size; ++row) {
            Vector y[size];
            transform_values(halfway[row], y);
            for (std::size_t column = 0; column < size; ++column)
                hn::Store(y[column], d, to + (row * size + column) * plane + c);
        }
    }
}

/// \param from in the first plane. \param to the first of rows × columns results, at most tile × tile.
template <std::size_t tile>
HWY_INLINE void finish_tile(const float* from, std::size_t plane, const float* bias, bool adds,
                            std::size_t rows, std::size_t columns, float* to, std::size_t row_step,
                            std::size_t channels) {
    constexpr std::size_t size = tile + 2;
    const Floats d;
    for (std::size_t c = 0; c < channels; c += lanes) {
        Vector halfway[tile][size];
        for (std::size_t column = 0; column < size; ++column) {
            Vector x[size], y[tile];
            for (std::size_t row = 0; row < size; ++row)
                x[row] = hn::Load(d, from + (row * size + column) * plane + c);
            transform_products(x, y);
            for (std::size_t row = 0; row < tile; ++row) halfway[row][column] = y[row];
        }
        const Vector offset = hn::Load(d, bias + c);
        for (std::size_t row = 0; row < rows; ++row) {
            Vector y[tile];
            transform_products(halfway[row], y);
            for (std::size_t column = 0; column < tile; ++column) {
                if (column >= columns) break;
                float* const at = to + row * row_step + column * channels + c;
                Vector sum = hn::Add(y[column], offset);
                if (adds) sum = hn::Add(sum, hn::Load(d, at));
                hn::Store(hn::Max(sum, hn::Zero(d)), d, at);
            }
        }
    }
}

template <std::size_t tile>
void convolve_tiles(const WinogradLayer& layer, const FaceMapView& from, std::size_t faces, bool adds,
                    const FaceMapView& to, std::size_t max_tiles, WinogradScratch& scratch) {
    const std::size_t tiles_of_side = (from.side + tile - 1) / tile;
    const std::size_t tiles_of_face = tiles_of_side * tiles_of_side;
    const std::size_t tiles = faces * tiles_of_face, parts = (tiles + max_tiles - 1) / max_tiles;
    const std::size_t value_plane = winograd_plane(max_tiles, layer.inputs);
    const std::size_t product_plane = winograd_plane(max_tiles, layer.outputs);
    struct TilePlace {
        std::size_t face, row, column;
    };
    const auto place_of = [&](std::size_t t) {
        const std::size_t in_face = t % tiles_of_face;
        return TilePlace{t / tiles_of_face, in_face / tiles_of_side * tile, in_face % tiles_of_side * tile};
    };
    for (std::size_t part = 0; part < parts; ++part) {
        const std::size_t first = tiles * part / parts, count = tiles * (part + 1) / parts - first;
        for (std::size_t t = 0; t < count; ++t) {
            const TilePlace place = place_of(first + t);
            // The border before the map makes the neighbourhood begin one row and one column earlier.
            const float* const start =
                from.at(place.face, place.row, place.column) - (from.outer + 1) * from.channels;
            transform_tile<tile>(start, from.outer * from.channels, layer.inputs,
                                 scratch.values() + t * layer.inputs, value_plane);
        }
        FaceResnetProduct product;
        product.rows = count;
        product.row_step = product.run_length = layer.inputs;
        product.outputs = product.to_step = layer.outputs;
        for (std::size_t position = 0; position < layer.panels.size(); ++position) {
            product.from = scratch.values() + position * value_plane;
            product.panels = layer.panels[position].values.data();
            product.to = scratch.products() + position * product_plane;
            run_product(product);
        }
        for (std::size_t t = 0; t < count; ++t) {
            const TilePlace place = place_of(first + t);
            finish_tile<tile>(scratch.products() + t * layer.outputs, product_plane, layer.bias.data(), adds,
                              std::min(tile, from.side - place.row), std::min(tile, from.side - place.column),
                              to.at(place.face, place.row, place.column), to.outer * to.channels,
                              layer.outputs);
        }
    }
}

void run_convolution(const WinogradLayer& layer, const FaceMapView& from, std::size_t faces, bool adds,
                     const FaceMapView& to, std::size_t max_tiles, WinogradScratch& scratch) {
    scratch.reserve(layer, max_tiles);
    if (layer.tile == 2) {
        convolve_tiles<2>(layer, from, faces, adds, to, max_tiles, scratch);
    } else {
        convolve_tiles<4>(layer, from, faces, adds, to, max_tiles, scratch);
    }
}

}  // namespace HWY_NAMESPACE
}  // namespace fovea
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea {

HWY_EXPORT(run_product);
HWY_EXPORT(run_pooling);
HWY_EXPORT(run_convolution);

void multiply(const FaceResnetProduct& product) {
    HWY_DYNAMIC_DISPATCH(run_product)(product);
}

void pool_maxima(const float* const (&rows)[3], std::size_t width, std::size_t channels, float* to) {
    HWY_DYNAMIC_DISPATCH(run_pooling)(rows, width, channels, to);
}

void WinogradScratch::reserve(const WinogradLayer& layer, std::size_t tiles) {
    const auto at_least = [](LineVector<float>& memory, std::size_t size) {
        if (memory.size() < size) memory.resize(size);
    };
    at_least(values_, layer.positions() * winograd_plane(tiles, layer.inputs));
    at_least(products_, layer.positions() * winograd_plane(tiles, layer.outputs));
}

void convolve(const WinogradLayer& layer, const FaceMapView& from, std::size_t faces, bool adds,
              const FaceMapView& to, std::size_t max_tiles, WinogradScratch& scratch) {
    HWY_DYNAMIC_DISPATCH(run_convolution)(layer, from, faces, adds, to, max_tiles, scratch);
}

}  // namespace fovea
#endif
