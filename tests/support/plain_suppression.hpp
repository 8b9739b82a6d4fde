#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

#include "kernels/face_net/gpu_face_net.hpp"

namespace fovea::test {

/// A cell of an image, in one of its sizes.
struct SizedCell {
    std::uint32_t size = 0;
    NetCell cell;

    friend bool operator==(const SizedCell&, const SizedCell&) = default;
};

/// No two cells of an image share it.
inline auto place_of(const SizedCell& cell) {
    return std::tuple(cell.size, cell.cell.level, cell.cell.row, cell.cell.column);
}

/// The cells by their places.
std::vector<SizedCell> in_order(std::vector<SizedCell> cells);
std::vector<SizedCell> in_order(const ImageCells& cells);

/// The cells that suppression leaves, in the simplest way, in_order().
std::vector<SizedCell> plainly_suppressed(std::vector<SizedCell> cells, const NetSuppression& rule);

}  // namespace fovea::test
