// Searches of a gallery on a GPU: sums of terms, distances, and the nearest of them.

#include <algorithm>
#include <bit>

#include <tbb/parallel_for.h>

#include "kernels/histogram_search/gpu_gallery.hpp"
#include "kernels/histogram_search/gpu_nearest_kernels.cuh"
#include "kernels/histogram_search/gpu_query_kernels.cuh"
#include "kernels/histogram_search/gpu_terms_kernel.cuh"
#include "kernels/histogram_search/gpu_tile_memory.cuh"
#include "kernels/histogram_search/nearest.hpp"

namespace fovea::cuda_backend {
namespace {

// Queries that a warp takes at once.
constexpr int most_queries_of_group = 8;

using TermsKernel = void (*)(PlanView, GalleryView, TermsWork, const std::uint32_t*, unsigned long long*);

template <HistogramTerm term, class Count>
TermsKernel terms_kernel_of_group(int group) {
    switch (group) {
        case 1:
            return sum_terms_kernel<term, Count, 1>;
        case 2:
            return sum_terms_kernel<term, Count, 2>;
        case 4:
            return sum_terms_kernel<term, Count, 4>;
        default:
            return sum_terms_kernel<term, Count, most_queries_of_group>;
    }
}

template <HistogramTerm term>
TermsKernel terms_kernel_of_count(bool narrow, int group) {
    return narrow ? terms_kernel_of_group<term, std::uint8_t>(group)
                  : terms_kernel_of_group<term, std::uint16_t>(group);
}

TermsKernel terms_kernel(HistogramTerm term, bool narrow, int group) {
    switch (term) {
        case HistogramTerm::harmonic:
            return terms_kernel_of_count<HistogramTerm::harmonic>(narrow, group);
        case HistogramTerm::minimum:
            return terms_kernel_of_count<HistogramTerm::minimum>(narrow, group);
        case HistogramTerm::product:
            break;
    }
    return terms_kernel_of_count<HistogramTerm::product>(narrow, group);
}

}  // namespace

class GpuHistogramGallery::Implementation {
  public:
    Implementation(const Device& device, const HistogramLayout& layout, HistogramDistance distance)
        : device_(device),
          plan_(make_search_plan(layout, distance, chunk_bins, most_bins_of_gpu_segment)),
          vectors_(device, plan_),
          uploader_(device.index()),
          prepared_(device.index()),
          sums_(device.index()),
          found_(device.index()),
          results_(device.index(), true) {
        check(cudaDeviceGetAttribute(&multiprocessors_, cudaDevAttrMultiProcessorCount, device.index()),
              device.index(), "reading the device's properties");
    }

    void add(const std::uint16_t* counts, std::size_t count, bool on_device) {
        vectors_.add(counts, count, on_device ? nullptr : &uploader_);
    }
    std::size_t size() const { return vectors_.size(); }
    std::size_t bytes() const { return vectors_.bytes(); }
    void clear() { vectors_.clear(); }

    std::vector<Neighbour> search(const std::uint16_t* queries, std::size_t count, std::size_t k,
                                  bool on_device) {
        k = std::min(k, size());
        std::vector<Neighbour> found(count * k);
        for (std::size_t done = 0; done < count;) {
            const std::size_t now = std::min(queries_at_once(), count - done);
            prepare(queries + done * plan_.layout.bins, now, on_device);
            compute_distances(now);
            take_nearest(now, static_cast<std::uint32_t>(k), found.data() + done * k);
            done += now;
        }
        return found;
    }

    void distances(const std::uint16_t* queries, std::size_t count, double* out) {
        for (std::size_t done = 0; done < count;) {
            const std::size_t now = std::min(queries_at_once(), count - done);
            prepare(queries + done * plan_.layout.bins, now, false);
            compute_distances(now);
            // The bits that order like distances are theirs.
            check(cudaMemcpy2DAsync(out + done * size(), size() * sizeof(double), sums_.at(),
                                    stride() * sizeof(double), size() * sizeof(double), now,
                                    cudaMemcpyDeviceToHost, stream()),
                  device_.index(), "copying distances from it");
            device_.synchronize();
            done += now;
        }
    }

  private:
    static constexpr std::size_t most_sum_bytes = std::size_t{512} << 20;
    static constexpr std::size_t most_prepared_bytes = std::size_t{256} << 20;

    cudaStream_t stream() const { return static_cast<cudaStream_t>(device_.stream()); }
    // Of the sums of a query: whole tiles.
    std::size_t stride() const { return (size() + tile_vectors - 1) / tile_vectors * tile_vectors; }
    std::size_t queries_at_once() const {
        const std::size_t prepared_bytes = (plan_.source.size() + 1) * sizeof(std::uint32_t);
        return std::clamp<std::size_t>(std::min(most_sum_bytes / (stride() * sizeof(std::uint64_t)),
                                                most_prepared_bytes / prepared_bytes),
                                       1, 4096);
    }

    /// Brings queries into the form that kernels take: their own sums, then their counts.
    void prepare(const std::uint16_t* queries, std::size_t count, bool on_device) {
        check(cudaSetDevice(device_.index()), device_.index(), "selecting the device");
        const std::size_t packed = plan_.source.size();
        own_bytes_ = align_up(count * sizeof(std::int64_t));
        prepared_.reserve(own_bytes_ +
                          align_up(count, most_queries_of_group) * packed * sizeof(std::uint32_t));
        const auto start = [&](const std::uint16_t* rows, std::size_t first, std::size_t now) {
            prepare_queries_kernel<<<static_cast<unsigned>(now), query_threads, 0, stream()>>>(
                vectors_.plan_view(), rows, prepared_counts() + first * packed, query_own() + first);
            check(cudaGetLastError(), device_.index(), "preparing queries");
        };
        if (on_device) {
            start(queries, 0, count);
        } else {
            uploader_.upload(stream(), queries, count, plan_.layout.bins, start);
        }
    }
    std::int64_t* query_own() const { return prepared_.at<std::int64_t>(); }
    std::uint32_t* prepared_counts() const { return prepared_.at<std::uint32_t>(own_bytes_); }

    TermsWork divide(std::size_t count, int group) const {
        TermsWork work;
        work.queries = static_cast<std::uint32_t>(count);
        work.groups = static_cast<std::uint32_t>((count + group - 1) / group);
        work.stride = stride();
        const std::size_t tiles = stride() / tile_vectors;
        // Enough warps for the last ones of the device not to be waited for long, but none with next to nothing to do.
        const std::size_t wanted = static_cast<std::size_t>(multiprocessors_) * 128;
        const std::size_t chunks = plan_.source.size() / chunk_bins;
        const std::size_t parts = std::min(wanted / (tiles * work.groups), chunks / 16);
        work.divided = parts > 1;
        work.parts = work.divided
                         ? static_cast<std::uint32_t>((parts + terms_warps - 1) / terms_warps * terms_warps)
                         : 1;
        work.blocks_of_tile = work.divided ? work.groups * (work.parts / terms_warps)
                                           : (work.groups + terms_warps - 1) / terms_warps;
        return work;
    }

    /// Leaves the distances of prepared queries in sums_: [query][stride()], as bits.
    void compute_distances(std::size_t count) {
        sums_.reserve(count * stride() * sizeof(std::uint64_t));
        auto* const sums = sums_.at<unsigned long long>();
        const int group =
            static_cast<int>(std::min<std::size_t>(std::bit_ceil(count), most_queries_of_group));
        const TermsWork work = divide(count, group);
        if (work.divided || plan_.source.empty()) {
            check(cudaMemsetAsync(sums, 0, count * stride() * sizeof(std::uint64_t), stream()),
                  device_.index(), "clearing sums");
        }
        if (!plan_.source.empty()) {
            const std::size_t shared =
                work.divided ? sizeof(std::uint64_t) * terms_warps * group * tile_vectors : 0;
            const std::size_t blocks = stride() / tile_vectors * work.blocks_of_tile;
            terms_kernel(
                plan_.term, plan_.narrow,
                group)<<<static_cast<unsigned>(blocks), terms_warps * warp_lanes, shared, stream()>>>(
                vectors_.plan_view(), vectors_.view(), work, prepared_counts(), sums);
            check(cudaGetLastError(), device_.index(), "comparing histograms");
        }
        constexpr unsigned threads = 256;
        const dim3 grid(static_cast<unsigned>((size() + threads - 1) / threads),
                        static_cast<unsigned>(count));
        finish_kernel<<<grid, threads, 0, stream()>>>(vectors_.plan_view(), vectors_.view(), stride(),
                                                      query_own(), sums);
        check(cudaGetLastError(), device_.index(), "finishing distances");
    }

    /// \param found receives [query][k].
    void take_nearest(std::size_t count, std::uint32_t k, Neighbour* found) {
        NearestInput in;
        in.keys = sums_.at<unsigned long long>();
        in.stride = stride();
        in.count = static_cast<std::uint32_t>(size());
        const std::size_t pairs = count * k;
        const NearestOutput out = select_nearest(in, count, k);
        results_.reserve(pairs * (sizeof(unsigned long long) + sizeof(std::uint32_t)));
        auto* const keys = results_.at<unsigned long long>();
        auto* const indices = reinterpret_cast<std::uint32_t*>(keys + pairs);
        check(cudaMemcpyAsync(keys, out.keys, pairs * sizeof(*keys), cudaMemcpyDeviceToHost, stream()),
              device_.index(), "copying neighbours from it");
        check(
            cudaMemcpyAsync(indices, out.indices, pairs * sizeof(*indices), cudaMemcpyDeviceToHost, stream()),
            device_.index(), "copying neighbours from it");
        device_.synchronize();
        tbb::parallel_for(std::size_t{0}, count, [&](std::size_t q) {
            for (std::size_t i = q * k; i < (q + 1) * k; ++i) {
                found[i] = {std::bit_cast<double>(keys[i]), indices[i]};
            }
            std::sort(found + q * k, found + (q + 1) * k, is_nearer);
        });
    }

    /// \return [query][k], in device memory.
    NearestOutput select_nearest(NearestInput in, std::size_t count, std::uint32_t k) {
        if (k > most_nearest_by_turns) {
            const NearestOutput out = outputs(count, k, 0);
            nearest_by_radix_kernel<<<static_cast<unsigned>(count), select_threads, 0, stream()>>>(in, k,
                                                                                                   out);
            check(cudaGetLastError(), device_.index(), "selecting neighbours");
            return out;
        }
        const auto parts_of = [](std::size_t keys) {
            return (keys + nearest_of_block - 1) / nearest_of_block;
        };
        std::size_t parts = parts_of(in.count);
        // Every turn leaves k of nearest_of_block, so that the second place needs no more than the first.
        const std::size_t first_stride = parts * k;
        for (int turn = 0;; ++turn) {
            NearestOutput out = outputs(count, first_stride, turn % 2);
            out.stride = parts * k;
            nearest_by_turns_kernel<<<dim3(static_cast<unsigned>(parts), static_cast<unsigned>(count)),
                                      nearest_threads, 0, stream()>>>(in, k, out);
            check(cudaGetLastError(), device_.index(), "selecting neighbours");
            if (parts == 1) return out;
            in = {out.keys, out.indices, out.stride, nullptr, static_cast<std::uint32_t>(out.stride)};
            parts = parts_of(out.stride);
        }
    }

    /// One of two places for [query][stride] pairs.
    NearestOutput outputs(std::size_t count, std::size_t stride, int place) {
        const std::size_t keys = align_up(count * stride * sizeof(unsigned long long));
        const std::size_t bytes = keys + align_up(count * stride * sizeof(std::uint32_t));
        found_.reserve(2 * bytes);
        return {found_.at<unsigned long long>(place * bytes), found_.at<std::uint32_t>(place * bytes + keys),
                stride};
    }

    const Device& device_;
    SearchPlan plan_;
    GpuTileMemory vectors_;
    RowUploader uploader_;
    DeviceMemory prepared_;
    DeviceMemory sums_;
    DeviceMemory found_;
    HostMemory results_;
    std::size_t own_bytes_ = 0;
    int multiprocessors_ = 0;
};

GpuHistogramGallery::GpuHistogramGallery(const Device& device, const HistogramLayout& layout,
                                         HistogramDistance distance)
    : implementation_(std::make_unique<Implementation>(device, layout, distance)) {}
GpuHistogramGallery::~GpuHistogramGallery() = default;
void GpuHistogramGallery::add(const std::uint16_t* counts, std::size_t count, bool on_device) {
    implementation_->add(counts, count, on_device);
}
std::size_t GpuHistogramGallery::size() const {
    return implementation_->size();
}
std::size_t GpuHistogramGallery::bytes() const {
    return implementation_->bytes();
}
void GpuHistogramGallery::clear() {
    implementation_->clear();
}
std::vector<Neighbour> GpuHistogramGallery::search(const std::uint16_t* queries, std::size_t count,
                                                   std::size_t k, bool on_device) {
    return implementation_->search(queries, count, k, on_device);
}
void GpuHistogramGallery::distances(const std::uint16_t* queries, std::size_t count, double* out) {
    implementation_->distances(queries, count, out);
}

}  // namespace fovea::cuda_backend
