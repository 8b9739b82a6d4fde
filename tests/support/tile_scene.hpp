#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

#include "kernels/haar_lbp/cascade.hpp"
#include "kernels/haar_lbp/tile.hpp"
#include "kernels/haar_lbp/window_body.hpp"
#include "lib/image/formats/image.hpp"

namespace fovea::test {

/// Pixels under a tile, their integral images in the tile's layout, and, as what these are held against, the
/// same images row by row.
class TileScene {
  public:
    /// \param pixels of the layout's pixel_width × pixel_height.
    TileScene(const TileLayout& layout, const GreyImage& pixels);

    const TileLayout& layout() const { return layout_; }

    /// An element of a window (column, row of windows) by an offset of a packed cascade.
    /// \throws std::out_of_range if it is none of the tile's.
    std::int32_t element(int column, int row, int byte_offset) const;
    /// The same of the squared sums.
    std::uint32_t squared_element(int column, int row, int byte_offset) const;

    /// A feature's value in a window by the cascade's own rectangles, as the CPU adds them up.
    float value(const HaarFeature& feature, int column, int row) const;
    int code(const LbpFeature& feature, int column, int row) const;
    WindowContrast contrast(Size window, int column, int row) const;

  private:
    // Row by row, one row and one column more than the pixels.
    struct Integral {
        int stride = 0;
        std::vector<std::int32_t> sums;
        std::int32_t at(int x, int y) const { return sums.at(static_cast<std::size_t>(y) * stride + x); }
    };

    std::vector<std::int32_t> laid_out(const Integral& integral) const;
    std::size_t index(int column, int row, int byte_offset) const;

    TileLayout layout_;
    Integral sum_;
    Integral squared_;
    Integral tilted_;
    std::vector<std::int32_t> elements_;
    std::vector<std::int32_t> squared_elements_;
};

/// The largest tile of 64 columns of windows and up to 96 rows that short offsets can address, or, for tables
/// with long ones, one of 24 rows; nothing if none is small enough.
std::optional<TileLayout> layout_for(const Cascade& cascade, int step, TileTable table);

/// The nodes of a packed cascade.
template <class Node>
std::vector<Node> nodes_of(const TileCascade& packed) {
    std::vector<Node> nodes(packed.nodes.size() / sizeof(Node));
    std::memcpy(nodes.data(), packed.nodes.data(), packed.nodes.size());
    return nodes;
}

/// A feature's value by the formula of its kind of MergedPattern.
std::int32_t merged_value(const MergedFeature& feature, const TileScene& scene, int column, int row);

}  // namespace fovea::test
