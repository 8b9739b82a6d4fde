#include "kernels/mct/mct_tables.hpp"

#include <algorithm>
#include <stdexcept>

#include "kernels/core/align.hpp"

namespace fovea::cuda_backend {
namespace {

class Layout {
  public:
    int take(std::size_t bytes) {
        const std::size_t place = end_;
        end_ = align_up(end_ + bytes, 16);
        return static_cast<int>(place);
    }
    int end() const { return static_cast<int>(end_); }
    void extend_to(int end) { end_ = std::max(end_, static_cast<std::size_t>(end)); }

  private:
    std::size_t end_ = 0;
};

void place_plane(MctScanTables& tables, MctPlane plane, Layout& layout) {
    const int index = static_cast<int>(plane);
    const MctTilePlane shape = mct_tile_plane(index);
    tables.memory.planes[index] =
        tables.planes[index] ? layout.take(sizeof(std::uint16_t) * shape.pitch * shape.rows) : -1;
}

}  // namespace

MctScanTables make_mct_tables(const MctCascade& cascade, int shared_bytes) {
    MctScanTables tables;
    const int count = static_cast<int>(cascade.lookups.size());
    tables.coarse = cascade.coarse_lookups();
    tables.last_threshold = count > 0 ? cascade.lookups.back().reject_above : 0;
    for (int i = 0; i < count; ++i) {
        const MctPlane plane = cascade.lookups[i].plane;
        tables.planes[static_cast<int>(plane)] = true;
        if (i >= tables.coarse && mct_is_coarse(plane)) {
            throw std::invalid_argument("an MCT cascade's look-ups on coarse planes must come first");
        }
    }

    MctScanMemory& memory = tables.memory;
    Layout layout;
    place_plane(tables, MctPlane::pixel, layout);
    place_plane(tables, MctPlane::block2, layout);
    memory.window_queues[0] = layout.take(sizeof(std::uint32_t) * MctScanTile::windows);
    memory.window_queues[1] = layout.end();
    place_plane(tables, MctPlane::coarse2, layout);
    place_plane(tables, MctPlane::coarse4, layout);
    place_plane(tables, MctPlane::contrast4, layout);
    if (tables.coarse > 0) {
        for (int& queue : memory.cell_queues) queue = layout.take(sizeof(std::uint32_t) * MctScanTile::cells);
    }
    layout.extend_to(memory.window_queues[1] +
                     static_cast<int>(sizeof(std::uint32_t)) * MctScanTile::windows);

    // Coarse look-ups are read for every window, the first fine ones for one in five.
    const int room = (shared_bytes - layout.end()) / MctCascade::codes;
    if (shared_bytes < layout.end()) {
        throw std::invalid_argument("this GPU has too little shared memory for an MCT cascade");
    }
    const int fine = count - tables.coarse;
    const int wanted_fine = std::min(fine, mct_thread_lookups);
    memory.shared_coarse = std::min(tables.coarse, std::max(room * 3 / 5, room - wanted_fine));
    memory.shared_fine = std::min(wanted_fine, room - memory.shared_coarse);
    memory.tables = layout.take(static_cast<std::size_t>(MctCascade::codes) *
                                (memory.shared_coarse + memory.shared_fine));
    memory.bytes = layout.end();

    for (const MctLookup& lookup : cascade.lookups) {
        const int plane = static_cast<int>(lookup.plane);
        const int unit = mct_is_coarse(lookup.plane) ? 2 : 1;
        const int element = lookup.y / unit * mct_tile_plane(plane).pitch + lookup.x / unit;
        MctGpuLookup gpu;
        gpu.reject_above = lookup.reject_above;
        gpu.offset_and_keep = static_cast<std::uint32_t>(memory.planes[plane] + 2 * element) |
                              (lookup.starts_stage ? 0U : 1U << 16);
        tables.lookups.push_back(gpu);
    }
    return tables;
}

}  // namespace fovea::cuda_backend
