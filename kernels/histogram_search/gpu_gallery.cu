// Searches of a gallery on a GPU: sums of terms, distances, and the nearest of them.

#include <algorithm>
#include <bit>

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include "kernels/core/gpu_chained_launch.cuh"
#include "kernels/histogram_search/gpu_filter.cuh"
#include "kernels/histogram_search/gpu_gallery.hpp"
#include "kernels/histogram_search/gpu_nearest_kernels.cuh"
#include "kernels/histogram_search/gpu_query_kernels.cuh"
#include "kernels/histogram_search/gpu_terms_kernel.cuh"
#include "kernels/histogram_search/gpu_tile_memory.cuh"
#include "kernels/nearest/nearest.hpp"

namespace fovea::cuda_backend {
namespace {

// Queries that a warp takes at once.
constexpr int max_queries_of_group = 8;

using TermsKernel = void (*)(PlanView, GalleryView, TermsWork, const std::uint32_t*, unsigned long long*);

template <HistogramTerm term>
TermsKernel terms_kernel_of_group(int group) {
    switch (group) {
        case 1:
            return sum_terms_kernel<term, 1>;
        case 2:
            return sum_terms_kernel<term, 2>;
        case 4:
            return sum_terms_kernel<term, 4>;
        default:
            return sum_terms_kernel<term, max_queries_of_group>;
    }
}

TermsKernel terms_kernel(HistogramTerm term, int group) {
    switch (term) {
        case HistogramTerm::harmonic:
            return terms_kernel_of_group<HistogramTerm::harmonic>(group);
        case HistogramTerm::minimum:
            return terms_kernel_of_group<HistogramTerm::minimum>(group);
        case HistogramTerm::product:
            break;
    }
    return terms_kernel_of_group<HistogramTerm::product>(group);
}

}  // namespace

class GpuHistogramGallery::Implementation {
  public:
    Implementation(const Device& device, const HistogramLayout& layout, HistogramDistance distance)
        : device_(device),
          plan_(make_search_plan(layout, distance, chunk_bins, max_bins_of_gpu_segment)),
          vectors_(device, plan_),
          uploader_(device.index()),
          work_(device.index()),
          found_(device.index()),
          counters_(device.index()),
          results_(device.index(), true),
          filter_serves_(GpuFilter::serves(device, plan_)),
          is_chained_(can_be_chained(device.index(), reinterpret_cast<const void*>(prepare_queries_kernel))) {
        check(cudaDeviceGetAttribute(&multiprocessors_, cudaDevAttrMultiProcessorCount, device.index()),
              device.index(), "reading the device's properties");
    }

    void add(const std::uint16_t* counts, std::size_t count) { vectors_.add(counts, count, uploader_); }
    std::size_t size() const { return vectors_.size(); }
    std::size_t bytes() const { return vectors_.bytes(); }
    void clear() { vectors_.clear(); }

    std::vector<Neighbour> search(const std::uint16_t* queries, std::size_t count, std::size_t k,
                                  bool on_device) {
        k = std::min(k, size());
        std::vector<Neighbour> found(count * k);
        for (std::size_t done = 0; done < count;) {
            const std::size_t most = std::clamp<std::size_t>(max_pairs_at_once / k, 1, queries_at_once());
            const std::size_t now = std::min(most, count - done);
            const auto* const rows = queries + done * plan_.layout.bins;
            auto* const into = found.data() + done * k;
            if (!filter_pays(now, k) ||
                !search_filtered(rows, now, static_cast<std::uint32_t>(k), on_device, into)) {
                search_all(rows, now, static_cast<std::uint32_t>(k), on_device, into);
            }
            done += now;
        }
        return found;
    }

    void distances(const std::uint16_t* queries, std::size_t count, double* out) {
        for (std::size_t done = 0; done < count;) {
            const std::size_t now = std::min(queries_at_once(), count - done);
            sum_terms(queries + done * plan_.layout.bins, now, false);
            compute_keys(now);
            // The bits that order like distances are theirs.
            check(cudaMemcpy2DAsync(out + done * size(), size() * sizeof(double), sums_,
                                    stride() * sizeof(double), size() * sizeof(double), now,
                                    cudaMemcpyDeviceToHost, stream()),
                  device_.index(), "copying distances from it");
            device_.synchronize();
            done += now;
        }
    }

  private:
    static constexpr std::size_t max_queries_at_once = 4096;
    // Parts of counters_: those of selections, and own sums with theirs.
    static constexpr std::size_t own_counters_offset = max_queries_at_once * sizeof(unsigned);
    static constexpr std::size_t own_sums_offset = 2 * own_counters_offset;
    static constexpr std::size_t counter_bytes =
        own_sums_offset + max_queries_at_once * sizeof(unsigned long long);
    static constexpr std::size_t max_sum_bytes = std::size_t{512} << 20;
    static constexpr std::size_t max_pairs_at_once = std::size_t{1} << 23;
    static constexpr std::size_t max_prepared_bytes = std::size_t{256} << 20;
    // Below, the filter's own work is more than what it saves.
    static constexpr std::size_t min_queries_to_filter = 40;
    static constexpr std::size_t min_vectors_to_filter = 2048;
    static constexpr std::size_t max_neighbours_to_filter = 128;

    cudaStream_t stream() const { return static_cast<cudaStream_t>(device_.stream()); }
    // The sums of a query take whole tiles.
    std::size_t stride() const { return align_up(size(), tile_vectors); }
    std::size_t queries_at_once() const {
        const std::size_t prepared_bytes = (plan_.source.size() + 1) * sizeof(std::uint32_t);
        return std::clamp<std::size_t>(
            std::min(max_sum_bytes / (stride() * sizeof(std::uint64_t)), max_prepared_bytes / prepared_bytes),
            1, max_queries_at_once);
    }
    bool filter_pays(std::size_t count, std::size_t k) const {
        return filter_serves_ && count >= min_queries_to_filter && size() >= min_vectors_to_filter &&
               k <= max_neighbours_to_filter;
    }

    /// Places own sums, sums and prepared queries in memory.
    void place(std::size_t count, std::size_t sums_of_query) {
        check(cudaSetDevice(device_.index()), device_.index(), "selecting the device");
        const std::size_t own_bytes = align_up(count * sizeof(std::int64_t));
        const std::size_t sum_bytes = align_up(count * sums_of_query * sizeof(std::uint64_t));
        work_.reserve(own_bytes + sum_bytes +
                      align_up(count, max_queries_of_group) * plan_.source.size() * sizeof(std::uint32_t));
        query_own_ = work_.at<std::int64_t>();
        sums_ = work_.at<unsigned long long>(own_bytes);
        prepared_ = work_.at<std::uint32_t>(own_bytes + sum_bytes);
        counters_.reserve(counter_bytes);
    }

    /// Brings queries into the form that kernels take. \param cleared sums of each that are set to 0.
    void prepare(const std::uint16_t* queries, std::size_t count, bool on_device, std::size_t cleared) {
        const auto start = [&](const std::uint16_t* rows, std::size_t first, std::size_t now) {
            const std::size_t blocks = (plan_.source.size() + query_bins_of_block - 1) / query_bins_of_block;
            const dim3 grid(static_cast<unsigned>(std::max<std::size_t>(1, blocks)),
                            static_cast<unsigned>(now));
            const OwnSums on_the_way{counters_.at<unsigned long long>(own_sums_offset),
                                     counters_.at<unsigned>(own_counters_offset)};
            launch_kernel(device_, "preparing queries", grid, query_threads, 0, prepare_queries_kernel,
                          vectors_.plan_view(), rows, prepared_ + first * plan_.source.size(),
                          query_own_ + first, on_the_way, sums_ + first * cleared, cleared);
        };
        if (on_device) {
            start(queries, 0, count);
        } else {
            uploader_.upload(stream(), queries, count, plan_.layout.bins, start);
        }
    }

    TermsWork divide(std::size_t count, int group) const {
        TermsWork work;
        work.queries = static_cast<std::uint32_t>(count);
        work.groups = static_cast<std::uint32_t>((count + group - 1) / group);
        work.stride = stride();
        const std::size_t tiles = stride() / tile_vectors;
        // Enough warps for the last ones of the device not to be waited for long, but none with next to
        // nothing to do.
        const std::size_t wanted = static_cast<std::size_t>(multiprocessors_) * 192;
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

    /// Leaves the sums of terms of queries with all vectors in sums_: [query][stride()].
    void sum_terms(const std::uint16_t* queries, std::size_t count, bool on_device) {
        const int group = static_cast<int>(std::min<std::size_t>(std::bit_ceil(count), max_queries_of_group));
        const TermsWork work = divide(count, group);
        place(count, stride());
        prepare(queries, count, on_device, work.divided || plan_.source.empty() ? stride() : 0);
        if (plan_.source.empty()) return;
        const std::size_t shared =
            work.divided ? sizeof(std::uint64_t) * terms_warps * group * tile_vectors : 0;
        const std::size_t blocks = stride() / tile_vectors * work.blocks_of_tile;
        const TermsKernel kernel = terms_kernel(plan_.term, group);
        launch_chained(device_, is_chained_, "comparing histograms", static_cast<unsigned>(blocks),
                       terms_warps * warp_lanes, shared, kernel, vectors_.plan_view(), vectors_.view(), work,
                       prepared_, sums_);
    }
    SumInput sums() const {
        return {sums_, stride(), query_own_, vectors_.view(), plan_.distance, plan_.bits};
    }

    /// Turns the sums into distances, as bits.
    void compute_keys(std::size_t count) {
        const dim3 grid(static_cast<unsigned>((size() + nearest_threads - 1) / nearest_threads),
                        static_cast<unsigned>(count));
        launch_kernel(device_, "finishing distances", grid, nearest_threads, 0, keys_kernel, sums(), sums_);
    }

    void search_all(const std::uint16_t* queries, std::size_t count, std::uint32_t k, bool on_device,
                    Neighbour* found) {
        sum_terms(queries, count, on_device);
        const auto vectors = static_cast<std::uint32_t>(size());
        if (k <= max_nearest_by_turns) {
            nearest_by_turns(sums(), vectors, count, k);
        } else {
            compute_keys(count);
            nearest_by_radix({sums_, nullptr, stride(), nullptr, vectors}, count, k);
        }
        take_results(count, k, found);
    }

    /// \return false if there is no memory for it.
    bool search_filtered(const std::uint16_t* queries, std::size_t count, std::uint32_t k, bool on_device,
                         Neighbour* found) try {
        if (!filter_) filter_ = std::make_unique<GpuFilter>(device_, plan_);
        place(count, 0);
        prepare(queries, count, on_device, 0);
        const Candidates candidates = filter_->find(vectors_, prepared_, query_own_, count, k);
        const NearestInput in{candidates.keys, candidates.indices, candidates.room, candidates.counts,
                              candidates.room};
        if (k <= max_nearest_by_turns) {
            nearest_by_turns(in, candidates.room, count, k);
        } else {
            nearest_by_radix(in, count, k);
        }
        std::vector<std::uint32_t> counts(count);
        check(cudaMemcpyAsync(counts.data(), candidates.counts, count * sizeof(std::uint32_t),
                              cudaMemcpyDeviceToHost, stream()),
              device_.index(), "copying the numbers of candidates from it");
        take_results(count, k, found);
        // Queries with more candidates than there is room for, in runs.
        for (std::size_t q = 0; q < count; ++q) {
            std::size_t end = q;
            while (end < count && counts[end] > candidates.room) ++end;
            if (end == q) continue;
            search_all(queries + q * plan_.layout.bins, end - q, k, on_device, found + q * k);
            q = end;
        }
        return true;
    } catch (const std::bad_alloc&) {
        filter_.reset();
        filter_serves_ = false;
        return false;
    }

    /// Selects neighbours, nearest first.
    template <class Input>
    void nearest_by_turns(const Input& in, std::size_t max_keys, std::size_t count, std::uint32_t k) {
        const std::size_t parts = (max_keys + nearest_of_block - 1) / nearest_of_block;
        const dim3 grid(static_cast<unsigned>(parts), static_cast<unsigned>(count));
        launch_chained(device_, is_chained_, "selecting neighbours", grid, nearest_threads, 0,
                       nearest_by_turns_kernel<Input>, in, k, device_results(count, parts * k),
                       counters_.at<unsigned>(), host_results(count, k));
    }
    void nearest_by_radix(const NearestInput& in, std::size_t count, std::uint32_t k) {
        const NearestOutput out = device_results(count, k), to = host_results(count, k);
        select_nearest(device_, in, count, k, out);
        check(cudaMemcpyAsync(to.keys, out.keys, count * k * sizeof(*out.keys), cudaMemcpyDeviceToHost,
                              stream()),
              device_.index(), "copying neighbours from it");
        check(cudaMemcpyAsync(to.indices, out.indices, count * k * sizeof(*out.indices),
                              cudaMemcpyDeviceToHost, stream()),
              device_.index(), "copying neighbours from it");
    }

    NearestOutput device_results(std::size_t count, std::size_t stride) {
        const std::size_t keys = align_up(count * stride * sizeof(unsigned long long));
        found_.reserve(keys + count * stride * sizeof(std::uint32_t));
        return {found_.at<unsigned long long>(), found_.at<std::uint32_t>(keys), stride};
    }
    /// Page-locked, so that kernels can write there.
    NearestOutput host_results(std::size_t count, std::size_t k) {
        results_.reserve(count * k * (sizeof(unsigned long long) + sizeof(std::uint32_t)));
        return {results_.at<unsigned long long>(),
                results_.at<std::uint32_t>(count * k * sizeof(unsigned long long)), k};
    }

    /// Waits for results and puts them in order. \param found receives [query][k].
    void take_results(std::size_t count, std::size_t k, Neighbour* found) {
        device_.synchronize();
        const NearestOutput results = host_results(count, k);
        tbb::parallel_for(tbb::blocked_range<std::size_t>(0, count, 64),
                          [&](const tbb::blocked_range<std::size_t>& some) {
                              for (std::size_t q = some.begin(); q < some.end(); ++q) {
                                  for (std::size_t i = q * k; i < (q + 1) * k; ++i) {
                                      found[i] = {std::bit_cast<double>(results.keys[i]), results.indices[i]};
                                  }
                                  std::sort(found + q * k, found + (q + 1) * k, is_nearer);
                              }
                          });
    }

    const Device& device_;
    SearchPlan plan_;
    GpuTileMemory vectors_;
    RowUploader uploader_;
    DeviceMemory work_;
    DeviceMemory found_;
    DeviceMemory counters_;  // of counter_bytes, all 0 between launches
    HostMemory results_;
    std::int64_t* query_own_ = nullptr;  // [query], in work_
    unsigned long long* sums_ = nullptr;
    std::uint32_t* prepared_ = nullptr;
    bool filter_serves_;
    const bool is_chained_;
    std::unique_ptr<GpuFilter> filter_;  // made when it is first needed
    int multiprocessors_ = 0;
};

GpuHistogramGallery::GpuHistogramGallery(const Device& device, const HistogramLayout& layout,
                                         HistogramDistance distance)
    : implementation_(std::make_unique<Implementation>(device, layout, distance)) {}
GpuHistogramGallery::~GpuHistogramGallery() = default;
void GpuHistogramGallery::add(const std::uint16_t* counts, std::size_t count) {
    implementation_->add(counts, count);
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
