// Memory for vectors on a GPU, and the kernels that bring them into their order.

#include <algorithm>
#include <bit>
#include <new>
#include <utility>

#include "kernels/vector_search/gpu_pack_vectors.cuh"
#include "kernels/vector_search/gpu_vector_memory.cuh"

namespace fovea::cuda_backend {

GpuVectorMemory::GpuVectorMemory(const Device& device, std::size_t length, VectorDistance distance,
                                 std::size_t granule)
    : device_(device),
      length_(length),
      distance_(distance),
      granule_(granule),
      chunks_(static_cast<std::uint32_t>((length + chunk_components - 1) / chunk_components)),
      range_(device, 1) {
    clear();
}

void GpuVectorMemory::clear() {
    size_ = 0;
    const OwnRange none;
    const OwnRangeBits bits{std::bit_cast<unsigned long long>(none.least),
                            std::bit_cast<unsigned long long>(none.largest)};
    range_.upload(&bits, 1);
    device_.synchronize();
}

std::size_t GpuVectorMemory::bytes() const {
    const std::size_t tiles = (size_ + tile_rows - 1) / tile_rows;
    return tiles * (tile_pieces() * sizeof(uint4) + tile_rows * sizeof(VectorTerms));
}

VectorTiles GpuVectorMemory::view() const {
    return {pieces_.data(), terms_.data(), chunks_, static_cast<std::uint32_t>(size_)};
}

void GpuVectorMemory::move_to(std::size_t capacity) {
    const std::size_t tiles = capacity / tile_rows;
    Buffer<uint4> pieces(device_, tiles * tile_pieces());
    Buffer<VectorTerms> terms(device_, capacity);
    const auto doing = [&](cudaError_t status) { check(status, device_.index(), "moving vectors"); };
    // Vectors that a tile does not have are multiplied with the others.
    doing(cudaMemsetAsync(pieces.data(), 0, pieces.size() * sizeof(uint4), stream()));
    doing(cudaMemsetAsync(terms.data(), 0, capacity * sizeof(VectorTerms), stream()));
    if (size_ > 0) {
        const std::size_t old = (size_ + tile_rows - 1) / tile_rows;
        doing(cudaMemcpyAsync(pieces.data(), pieces_.data(), old * tile_pieces() * sizeof(uint4),
                              cudaMemcpyDeviceToDevice, stream()));
        doing(cudaMemcpyAsync(terms.data(), terms_.data(), old * tile_rows * sizeof(VectorTerms),
                              cudaMemcpyDeviceToDevice, stream()));
    }
    device_.synchronize();
    pieces_ = std::move(pieces);
    terms_ = std::move(terms);
    capacity_ = capacity;
}

void GpuVectorMemory::grow(std::size_t vectors) {
    if (vectors <= capacity_) return;
    const std::size_t least = align_up(vectors, granule_);
    const std::size_t generous = align_up(std::max(vectors, capacity_ + capacity_ / 2), granule_);
    try {
        move_to(generous);
    } catch (const std::bad_alloc&) {
        if (generous == least) throw;
        move_to(least);
    }
}

void GpuVectorMemory::add(const std::int16_t* rows, std::size_t count, RowUploader& uploader) {
    if (count == 0) return;
    check(cudaSetDevice(device_.index()), device_.index(), "selecting the device");
    grow(size_ + count);
    const VectorTiles tiles = view();
    const auto length = static_cast<std::uint32_t>(length_);
    uploader.upload(
        stream(), rows, count, length_,
        [&](const std::int16_t* slice, std::size_t first, std::size_t rows_now) {
            const auto begin = static_cast<std::uint32_t>(size_ + first);
            const auto now = static_cast<std::uint32_t>(rows_now);
            const bool is_last = first + rows_now == count;
            const auto end = static_cast<std::uint32_t>(is_last ? align_up(size_ + count, granule_)
                                                                : size_ + first + rows_now);
            const dim3 grid((now + pack_threads - 1) / pack_threads,
                            chunks_ * (chunk_components / piece_components));
            launch_kernel(device_, "ordering vectors", grid, pack_threads, 0, pack_vectors_kernel, tiles,
                          slice, length, begin, now);
            constexpr std::uint32_t rows_of_block = pack_threads / 32;
            launch_kernel(device_, "summing vectors", (end - begin + rows_of_block - 1) / rows_of_block,
                          pack_threads, 0, vector_terms_kernel, tiles, distance_, slice, length, begin, now,
                          end - begin, range_.data());
        });
    device_.synchronize();
    size_ += count;
}

}  // namespace fovea::cuda_backend
