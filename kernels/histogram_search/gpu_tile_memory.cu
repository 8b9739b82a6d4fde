// Memory for gallery vectors on a GPU, and the kernels that bring them into their order.

#include <algorithm>
#include <new>
#include <utility>

#include "kernels/histogram_search/gpu_pack_kernels.cuh"
#include "kernels/histogram_search/gpu_tile_memory.cuh"

namespace fovea::cuda_backend {

GpuTileMemory::GpuTileMemory(const Device& device, const SearchPlan& plan)
    : device_(device),
      plan_(plan),
      count_bytes_(align_up(plan.source.size() * tile_vectors * (plan.narrow ? 1 : 2))),
      mark_bytes_(align_up(plan.source.size() / chunk_bins)),
      segments_(device, plan.segments.size()),
      source_(device, plan.source.size()) {
    segments_.upload(plan.segments.data(), plan.segments.size());
    source_.upload(plan.source.data(), plan.source.size());
}

std::size_t GpuTileMemory::bytes() const {
    return (size_ + tile_vectors - 1) / tile_vectors * tile_bytes();
}

GalleryView GpuTileMemory::view() const {
    return {tiles_on_device_.data(), static_cast<std::uint32_t>(size_),
            static_cast<std::uint32_t>(plan_.source.size() / chunk_bins), count_bytes_};
}

PlanView GpuTileMemory::plan_view() const {
    return {segments_.data(),
            static_cast<int>(plan_.segments.size()),
            source_.data(),
            static_cast<std::uint32_t>(plan_.source.size()),
            static_cast<std::uint32_t>(plan_.layout.bins),
            plan_.distance,
            plan_.term,
            plan_.bits};
}

Buffer<std::byte> GpuTileMemory::allocate(std::size_t bytes) const {
    std::size_t free = 0, all = 0;
    check(cudaMemGetInfo(&free, &all), device_.index(), "asking for its free memory");
    if (bytes > free) throw std::bad_alloc();
    return Buffer<std::byte>(device_, bytes);
}

void GpuTileMemory::grow(std::size_t tiles) {
    if (tiles <= tiles_.size()) return;
    constexpr std::size_t max_spare_bytes = std::size_t{256} << 20;
    const std::size_t missing = tiles - tiles_.size();
    const std::size_t generous =
        std::max(missing, std::min(tiles_.size() / 2, max_spare_bytes / tile_bytes()));
    std::size_t added = generous;
    Buffer<std::byte> slab;
    try {
        slab = allocate(generous * tile_bytes());
    } catch (const std::bad_alloc&) {
        if (generous == missing) throw;
        added = missing;
        slab = allocate(missing * tile_bytes());
    }
    // Vectors that a tile does not have are computed with the others.
    check(cudaMemsetAsync(slab.data(), 0, added * tile_bytes(), stream()), device_.index(),
          "clearing memory");
    std::vector<std::byte*> all = tiles_;
    for (std::size_t i = 0; i < added; ++i) all.push_back(slab.data() + i * tile_bytes());
    Buffer<std::byte*> all_on_device(device_, all.size());
    all_on_device.upload(all.data(), all.size());
    device_.synchronize();
    slabs_.push_back(std::move(slab));
    tiles_ = std::move(all);
    tiles_on_device_ = std::move(all_on_device);
}

void GpuTileMemory::pack(const std::uint16_t* rows, std::size_t first, std::size_t count) {
    const GalleryView gallery = view();
    const PlanView plan = plan_view();
    const auto first32 = static_cast<std::uint32_t>(first), count32 = static_cast<std::uint32_t>(count);
    if (gallery.chunks > 0) {
        const std::size_t tiles = (first + count - 1) / tile_vectors - first / tile_vectors + 1;
        const std::size_t blocks = tiles * ((gallery.chunks + pack_chunks - 1) / pack_chunks);
        launch_kernel(device_, "ordering histograms", static_cast<unsigned>(blocks), pack_threads, 0,
                      pack_kernel, plan, gallery, !plan_.narrow, rows, first32, count32);
    }
    constexpr std::size_t rows_of_block = pack_threads / warp_lanes;
    launch_kernel(device_, "summing histograms",
                  static_cast<unsigned>((count + rows_of_block - 1) / rows_of_block), pack_threads, 0,
                  own_sums_kernel, plan, gallery, rows, first32, count32);
}

void GpuTileMemory::add(const std::uint16_t* rows, std::size_t count, RowUploader& uploader) {
    check(cudaSetDevice(device_.index()), device_.index(), "selecting the device");
    grow((size_ + count + tile_vectors - 1) / tile_vectors);
    uploader.upload(stream(), rows, count, plan_.layout.bins,
                    [&](const std::uint16_t* slice, std::size_t first, std::size_t rows_now) {
                        pack(slice, size_ + first, rows_now);
                    });
    device_.synchronize();
    size_ += count;
}

}  // namespace fovea::cuda_backend
