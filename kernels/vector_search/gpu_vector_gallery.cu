// Searches of a gallery of vectors on a GPU, batch by batch.

#include <algorithm>
#include <bit>
#include <cmath>

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include "kernels/core/gpu_memory.cuh"
#include "kernels/core/gpu_occupancy.cuh"
#include "kernels/nearest/nearest.hpp"
#include "kernels/vector_search/gpu_compare_kernel.cuh"
#include "kernels/vector_search/gpu_vector_gallery.hpp"
#include "kernels/vector_search/gpu_vector_memory.cuh"

namespace fovea::cuda_backend {
namespace {

using CompareKernel = void (*)(CompareTask);

/// A form of the kernels that fits a GPU's shared memory.
struct CompareForm {
    CompareKernel nearest = nullptr, all = nullptr;
    std::size_t shared_bytes = 0;
    std::size_t blocks = 0;  ///< that run at once
};

template <bool queries_stay, int stages>
bool try_form(const Device& device, std::uint32_t chunks, CompareForm& form) {
    const CompareKernel nearest = compare_kernel<queries_stay, stages, false>;
    const CompareKernel all = compare_kernel<queries_stay, stages, true>;
    const std::size_t bytes = CompareLayout<queries_stay>::bytes(chunks, stages);
    const auto blocks = [&](CompareKernel kernel) {
        return blocks_per_multiprocessor(device.index(), reinterpret_cast<const void*>(kernel),
                                         compare_threads, static_cast<int>(bytes));
    };
    const int at_once = std::min(blocks(nearest), blocks(all));
    if (at_once < 1) return false;
    form = {nearest, all, bytes,
            static_cast<std::size_t>(at_once) *
                static_cast<std::size_t>(multiprocessors(device.index(), device.share()))};
    return true;
}

CompareForm form_for(const Device& device, std::size_t length) {
    const auto chunks = static_cast<std::uint32_t>((length + chunk_components - 1) / chunk_components);
    CompareForm form;
    if (try_form<true, 4>(device, chunks, form) || try_form<false, 3>(device, chunks, form) ||
        try_form<false, 2>(device, chunks, form)) {
        return form;
    }
    throw DeviceError(device.name() + " has too little shared memory to compare vectors");
}

}  // namespace

class GpuVectorGallery::Implementation {
  public:
    Implementation(const Device& device, std::size_t length, VectorDistance distance)
        : device_(device),
          length_(length),
          distance_(distance),
          form_(form_for(device, length)),
          vectors_(device, length, distance, block_queries),
          queries_(device, length, distance, block_queries),
          uploader_(device.index()),
          lists_(device.index()),
          found_(device.index()),
          halves_{{device.index()}, {device.index()}} {}

    void add(const std::int16_t* rows, std::size_t count) { vectors_.add(rows, count, uploader_); }
    std::size_t size() const { return vectors_.size(); }
    std::size_t bytes() const { return vectors_.bytes(); }
    void clear() { vectors_.clear(); }

    std::vector<Neighbour> search(const std::int16_t* queries, std::size_t count, std::size_t k) {
        return in_batches(count, k, [&](std::size_t first, std::size_t now) {
            queries_.clear();
            queries_.add(queries + first * length_, now, uploader_);
            return task_for(queries_.view(), 0, now);
        });
    }

    std::vector<Neighbour> neighbours(std::size_t k) {
        return in_batches(size(), k, [&](std::size_t first, std::size_t now) {
            CompareTask task = task_for(vectors_.view(), first, now);
            task.is_of_gallery = true;
            return task;
        });
    }

    void distances(const std::int16_t* queries, std::size_t count, double* out) {
        for (std::size_t done = 0; done < count;) {
            const std::size_t now = std::min(count - done, queries_for_all());
            queries_.clear();
            queries_.add(queries + done * length_, now, uploader_);
            found_.reserve(now * size() * sizeof(double));
            compare_all(task_for(queries_.view(), 0, now), found_.at<double>());
            check(cudaMemcpyAsync(out + done * size(), found_.at(), now * size() * sizeof(double),
                                  cudaMemcpyDeviceToHost, stream()),
                  device_.index(), "copying distances from it");
            device_.synchronize();
            done += now;
        }
    }

  private:
    // Beyond, lists would take much memory: all distances are computed, and the nearest are selected.
    static constexpr std::size_t max_listed = 1024;
    static constexpr std::size_t max_distances = std::size_t{1} << 25;
    static constexpr std::size_t max_found_bytes = std::size_t{1} << 28;
    static constexpr std::size_t pair_bytes = sizeof(unsigned long long) + sizeof(std::uint32_t);

    /// The host's copy of the results of a batch: while it is put in order, the GPU has the next one.
    struct ResultHalf {
        ResultHalf(int index) : memory(index, true), filled(index) {}
        HostMemory memory;
        Event filled;
        std::size_t first = 0, count = 0;
    };

    cudaStream_t stream() const { return static_cast<cudaStream_t>(device_.stream()); }

    CompareTask task_for(const VectorTiles& queries, std::size_t first, std::size_t count) const {
        CompareTask task;
        task.queries = queries;
        task.gallery = vectors_.view();
        task.first_query = static_cast<std::uint32_t>(first);
        task.end_query = static_cast<std::uint32_t>(first + count);
        task.distance = distance_;
        task.bytes = 255 * std::sqrt(static_cast<double>(length_));
        task.range = vectors_.range();
        return task;
    }

    std::size_t queries_for_all() const { return std::clamp<std::size_t>(max_distances / size(), 1, 65536); }
    std::size_t queries_at_once(std::size_t k) const {
        // Whole blocks, so that a batch of the gallery begins with a block.
        if (k > max_listed) return align_up(queries_for_all(), block_queries);
        const std::size_t round = form_.blocks * block_queries;
        return round * std::clamp<std::size_t>(max_found_bytes / (round * k * pair_bytes), 1, 4);
    }

    /// Parts of the gallery that keep the multiprocessors busiest.
    std::size_t parts_for(std::size_t query_blocks) const {
        constexpr std::size_t min_tiles_of_part = 8;
        const std::size_t tiles = (size() + tile_rows - 1) / tile_rows;
        const std::size_t most = std::min((2 * form_.blocks + query_blocks - 1) / query_blocks,
                                          std::max<std::size_t>(tiles / min_tiles_of_part, 1));
        const auto rounds = [&](std::size_t parts) {
            return (query_blocks * parts + form_.blocks - 1) / form_.blocks;
        };
        std::size_t best = 1;
        for (std::size_t parts = 2; parts <= most; ++parts) {
            // A tenth less time is worth more parts.
            if (10 * rounds(parts) * best < 9 * rounds(best) * parts) best = parts;
        }
        return best;
    }
    /// Divides the gallery. \return the number of blocks to start.
    unsigned divide(CompareTask& task) const {
        const std::size_t query_blocks =
            (task.end_query - task.first_query + block_queries - 1) / block_queries;
        const std::size_t tiles = (size() + tile_rows - 1) / tile_rows;
        const std::size_t wanted = parts_for(query_blocks);
        task.tiles_of_part = static_cast<std::uint32_t>((tiles + wanted - 1) / wanted);
        task.parts = static_cast<std::uint32_t>((tiles + task.tiles_of_part - 1) / task.tiles_of_part);
        return static_cast<unsigned>(std::min(query_blocks * task.parts, form_.blocks));
    }

    /// \param task_of gives the task of queries [first, first + count).
    template <class TaskOf>
    std::vector<Neighbour> in_batches(std::size_t count, std::size_t k, const TaskOf& task_of) {
        std::vector<Neighbour> found(count * k);
        const std::size_t at_once = queries_at_once(k);
        int half = 0;
        halves_[0].count = halves_[1].count = 0;
        for (std::size_t done = 0; done < count; done += at_once) {
            const std::size_t now = std::min(at_once, count - done);
            find(task_of(done, now), static_cast<std::uint32_t>(k), halves_[half]);
            halves_[half].first = done;
            halves_[half].count = now;
            half = 1 - half;
            take(halves_[half], k, found.data());
        }
        take(halves_[1 - half], k, found.data());
        return found;
    }

    /// Queues the search for the nearest, and their way to the host.
    void find(CompareTask task, std::uint32_t k, ResultHalf& half) {
        const std::size_t count = task.end_query - task.first_query;
        const NearestOutput found =
            k > max_listed ? select_of_all(task, count, k) : select_of_lists(task, count, k);
        half.memory.reserve(count * k * pair_bytes);
        const auto copy = [&](void* to, const void* from, std::size_t bytes) {
            check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream()), device_.index(),
                  "copying neighbours from it");
        };
        copy(half.memory.at(), found.keys, count * k * sizeof(*found.keys));
        copy(half.memory.at(count * k * sizeof(*found.keys)), found.indices,
             count * k * sizeof(*found.indices));
        half.filled.record(stream());
    }

    NearestOutput place_pairs(std::size_t& offset, std::size_t count, std::size_t stride) const {
        const std::size_t keys = offset, indices = keys + align_up(count * stride * sizeof(std::uint64_t));
        offset = indices + align_up(count * stride * sizeof(std::uint32_t));
        return {found_.at<unsigned long long>(keys), found_.at<std::uint32_t>(indices), stride};
    }
    void reserve_found(std::size_t bytes) {
        // Batches before this one may still be read.
        if (found_.moves(bytes)) device_.synchronize();
        found_.reserve(bytes);
    }
    static std::size_t bytes_of_pairs(std::size_t count, std::size_t stride) {
        return align_up(count * stride * sizeof(std::uint64_t)) +
               align_up(count * stride * sizeof(std::uint32_t));
    }

    NearestOutput select_of_lists(CompareTask task, std::size_t count, std::uint32_t k) {
        const unsigned blocks = divide(task);
        const std::size_t of_parts = static_cast<std::size_t>(task.parts) * k;
        reserve_found(bytes_of_pairs(count, of_parts) + bytes_of_pairs(count, k));
        std::size_t offset = 0;
        task.k = k;
        task.nearest = place_pairs(offset, count, of_parts);
        // Twice as many as are kept, and room for what a tile adds before lists are shortened.
        task.lists.room = static_cast<std::uint32_t>(align_up(2 * k + 2 * tile_rows + 64, 32));
        const std::size_t entries = form_.blocks * block_queries * task.lists.room;
        lists_.reserve(entries * (sizeof(double) + sizeof(std::uint32_t)));
        task.lists.ranks = lists_.at<double>();
        task.lists.indices = lists_.at<std::uint32_t>(entries * sizeof(double));
        launch_kernel(device_, "comparing vectors", blocks, compare_threads, form_.shared_bytes,
                      form_.nearest, task);
        if (task.parts == 1) return task.nearest;
        const NearestOutput merged = place_pairs(offset, count, k);
        select_nearest(device_,
                       {task.nearest.keys, task.nearest.indices, of_parts, nullptr,
                        static_cast<std::uint32_t>(of_parts)},
                       count, k, merged);
        return merged;
    }

    NearestOutput select_of_all(CompareTask task, std::size_t count, std::uint32_t k) {
        const std::size_t distance_bytes = align_up(count * size() * sizeof(double));
        reserve_found(distance_bytes + bytes_of_pairs(count, k));
        compare_all(task, found_.at<double>());
        std::size_t offset = distance_bytes;
        const NearestOutput found = place_pairs(offset, count, k);
        // No distance is negative, so its bits order as it does.
        select_nearest(device_,
                       {found_.at<const unsigned long long>(), nullptr, size(), nullptr,
                        static_cast<std::uint32_t>(size())},
                       count, k, found);
        return found;
    }

    void compare_all(CompareTask task, double* out) {
        const unsigned blocks = divide(task);
        task.distances = out;
        launch_kernel(device_, "comparing vectors", blocks, compare_threads, form_.shared_bytes, form_.all,
                      task);
    }

    /// Waits for the results of a batch and puts them in order. \param found receives [query][k].
    void take(ResultHalf& half, std::size_t k, Neighbour* found) const {
        if (half.count == 0) return;
        half.filled.wait();
        const auto* const keys = half.memory.at<const unsigned long long>();
        const auto* const indices = half.memory.at<const std::uint32_t>(half.count * k * sizeof(*keys));
        Neighbour* const to = found + half.first * k;
        tbb::parallel_for(tbb::blocked_range<std::size_t>(0, half.count, 64),
                          [&](const tbb::blocked_range<std::size_t>& some) {
                              for (std::size_t q = some.begin(); q < some.end(); ++q) {
                                  for (std::size_t i = q * k; i < (q + 1) * k; ++i) {
                                      to[i] = {std::bit_cast<double>(keys[i]), indices[i]};
                                  }
                                  std::sort(to + q * k, to + (q + 1) * k, is_nearer);
                              }
                          });
        half.count = 0;
    }

    const Device& device_;
    std::size_t length_;
    VectorDistance distance_;
    CompareForm form_;
    GpuVectorMemory vectors_;
    GpuVectorMemory queries_;
    RowUploader uploader_;
    DeviceMemory lists_;
    DeviceMemory found_;
    ResultHalf halves_[2];
};

GpuVectorGallery::GpuVectorGallery(const Device& device, std::size_t length, VectorDistance distance)
    : implementation_(std::make_unique<Implementation>(device, length, distance)) {}
GpuVectorGallery::~GpuVectorGallery() = default;
void GpuVectorGallery::add(const std::int16_t* rows, std::size_t count) {
    implementation_->add(rows, count);
}
std::size_t GpuVectorGallery::size() const {
    return implementation_->size();
}
std::size_t GpuVectorGallery::bytes() const {
    return implementation_->bytes();
}
void GpuVectorGallery::clear() {
    implementation_->clear();
}
std::vector<Neighbour> GpuVectorGallery::search(const std::int16_t* queries, std::size_t count,
                                                std::size_t k) {
    return implementation_->search(queries, count, k);
}
std::vector<Neighbour> GpuVectorGallery::neighbours(std::size_t k) {
    return implementation_->neighbours(k);
}
void GpuVectorGallery::distances(const std::int16_t* queries, std::size_t count, double* out) {
    implementation_->distances(queries, count, out);
}

}  // namespace fovea::cuda_backend
