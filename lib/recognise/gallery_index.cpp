#include "lib/recognise/gallery_index.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <mutex>
#include <new>
#include <stdexcept>
#include <utility>

#include "kernels/core/share_work.hpp"
#include "kernels/measure/measure.hpp"
#include "kernels/nearest/nearest.hpp"

namespace fovea {
namespace {

constexpr std::size_t no_limit = std::numeric_limits<std::size_t>::max();

/// Vectors that follow each other in the index as well as in a device's gallery.
struct Run {
    std::size_t first = 0;  // in the index
    std::size_t local = 0;  // in the gallery
    std::size_t count = 0;
};

/// A stream of a device with its galleries. A GPU has two, so that one's slices are copied while the other's
/// are searched.
struct Worker {
    Worker(Device its_device, const FeatureMetric& metric, std::size_t room)
        : device(std::make_unique<Device>(std::move(its_device))),
          resident(metric.gallery(*device)),
          slice(metric.gallery(*device)),
          resident_room(room) {}

    std::unique_ptr<Device> device;
    std::unique_ptr<FeatureGallery> resident;
    std::unique_ptr<FeatureGallery> slice;
    std::size_t resident_room;  // vectors that it may still take
    std::vector<Run> runs;      // of the resident vectors, by rising index
};

}  // namespace

class GalleryIndex::Implementation {
  public:
    Implementation(FeatureMetric metric, const DetectionDevice& device, const GalleryIndexOptions& options)
        : metric_(std::move(metric)), query_batch_(std::max<std::size_t>(1, options.query_batch)) {
        if (!device.is_cuda()) {
            open(Device::cpu(), options.memory_bytes == 0 ? no_limit : options.memory_bytes, 1);
        }
        for (const int gpu : device.gpus) {
            const std::size_t memory = options.memory_bytes == 0
                                           ? free_device_memory(Device::cuda(gpu)) / 5 * 3
                                           : options.memory_bytes;
            open(Device::cuda(gpu), memory, 2);
            // Its vectors are with the first.
            workers_.emplace_back(Device::cuda(gpu), metric_, 0);
        }
        devices_ = std::max<std::size_t>(1, device.gpus.size());
    }

    void add(const std::uint16_t* rows, std::size_t count) {
        if (count > std::numeric_limits<std::uint32_t>::max() - size()) {
            throw std::length_error("a gallery would have more than 2^32 - 1 vectors");
        }
        metric_.check(rows, count, "gallery vector", size());
        std::size_t done = 0;
        const std::size_t after = resident_ + count;
        for (std::size_t w = 0, part = 0; w < workers_.size(); w += workers_of_device(), ++part) {
            const std::size_t share = after * (part + 1) / devices_ - after * part / devices_;
            const std::size_t has = workers_[w].resident->size();
            done += add_resident(workers_[w], rows + done * metric_.length,
                                 std::min(share - std::min(share, has), count - done));
        }
        for (std::size_t w = 0; w < workers_.size() && done < count; w += workers_of_device()) {
            done += add_resident(workers_[w], rows + done * metric_.length, count - done);
        }
        waiting_.insert(waiting_.end(), rows + done * metric_.length, rows + count * metric_.length);
    }

    std::size_t size() const { return resident_ + waiting(); }
    std::size_t waiting() const { return waiting_.size() / metric_.length; }

    std::vector<Neighbour> search(const std::uint16_t* queries, std::size_t count, std::size_t k) {
        if (k == 0) throw std::invalid_argument("a search for the 0 nearest neighbours finds nothing");
        metric_.check(queries, count, "query", 0);
        k = std::min(k, size());
        std::vector<std::vector<Neighbour>> nearest(count);
        if (k == 0 || count == 0) return {};
        std::mutex mutex;
        visit([&](const FeatureGallery& gallery, const std::vector<Run>& runs) {
            const std::size_t here = std::min(k, gallery.size());
            for (std::size_t done = 0; done < count; done += query_batch_) {
                const std::size_t now = std::min(query_batch_, count - done);
                const std::vector<Neighbour> found = gallery.search(queries + done * metric_.length, now, k);
                const std::lock_guard lock(mutex);
                for (std::size_t q = 0; q < now; ++q) {
                    std::vector<Neighbour>& list = nearest[done + q];
                    for (std::size_t i = q * here; i < (q + 1) * here; ++i) {
                        list.push_back({found[i].distance, index_of(runs, found[i].index)});
                    }
                    keep_nearest(list, k);
                }
            }
        });
        std::vector<Neighbour> all;
        all.reserve(count * k);
        for (const auto& list : nearest) all.insert(all.end(), list.begin(), list.end());
        return all;
    }

    void distances(const std::uint16_t* queries, std::size_t count, double* out) {
        metric_.check(queries, count, "query", 0);
        visit([&](const FeatureGallery& gallery, const std::vector<Run>& runs) {
            const std::size_t here = gallery.size();
            const std::size_t at_once = std::max<std::size_t>(1, max_distances_at_once / here);
            std::vector<double> some(std::min(at_once, count) * here);
            for (std::size_t done = 0; done < count; done += at_once) {
                const std::size_t now = std::min(at_once, count - done);
                gallery.distances(queries + done * metric_.length, now, some.data());
                for (std::size_t q = 0; q < now; ++q) {
                    for (const Run& run : runs) {
                        std::copy_n(some.data() + q * here + run.local, run.count,
                                    out + (done + q) * size() + run.first);
                    }
                }
            }
        });
    }

  private:
    static constexpr std::size_t max_distances_at_once = std::size_t{4} << 20;
    // A tile of either backend is not split.
    static constexpr std::size_t min_vectors_of_slice = 32;

    std::size_t workers_of_device() const { return workers_.size() / devices_; }

    /// Opens a device whose slices take a share of the memory for each of `slices`.
    void open(Device device, std::size_t memory, std::size_t slices) {
        std::size_t room = no_limit;
        if (memory != no_limit) {
            const std::size_t of_slice = memory / (4 * slices);
            const std::size_t of_vector = metric_.length * sizeof(std::uint16_t) + sizeof(std::int64_t);
            room = (memory - slices * of_slice) / of_vector;
            slice_vectors_ = std::min(slice_vectors_, std::max(min_vectors_of_slice, of_slice / of_vector));
        }
        workers_.emplace_back(std::move(device), metric_, room);
    }

    /// \return how many of `count` vectors the device took.
    std::size_t add_resident(Worker& worker, const std::uint16_t* rows, std::size_t count) {
        count = std::min(count, worker.resident_room);
        if (count == 0) return 0;
        const Run run{resident_, worker.resident->size(), count};
        // Those that wait come behind all that are resident.
        if (!waiting_.empty()) return 0;
        try {
            worker.resident->add(rows, count);
        } catch (const std::bad_alloc&) {
            if (!worker.device->is_cuda()) throw;
            worker.resident_room = 0;
            return 0;
        }
        worker.runs.push_back(run);
        if (worker.resident_room != no_limit) worker.resident_room -= count;
        resident_ += count;
        return count;
    }

    static std::uint32_t index_of(const std::vector<Run>& runs, std::size_t local) {
        const auto behind = std::upper_bound(runs.begin(), runs.end(), local,
                                             [](std::size_t l, const Run& run) { return l < run.local; });
        const Run& run = *(behind - 1);
        return static_cast<std::uint32_t>(run.first + (local - run.local));
    }

    /// Calls use(gallery, runs) for galleries that together are the index, several at once.
    template <class Use>
    void visit(const Use& use) {
        std::atomic<std::size_t> next{0};
        // Every worker should have one.
        const std::size_t slice = std::clamp((waiting() + workers_.size() - 1) / workers_.size(),
                                             min_vectors_of_slice, slice_vectors_);
        // The caller's thread works too, so that the CPU's work stays in its TBB arena.
        side_by_side(workers_.size(), [&](std::size_t w) {
            Worker& worker = workers_[w];
            if (worker.resident->size() > 0) use(*worker.resident, worker.runs);
            for (;;) {
                const std::size_t first = next.fetch_add(1) * slice;
                if (first >= waiting()) return;
                const std::size_t count = std::min(slice, waiting() - first);
                worker.slice->clear();
                worker.slice->add(waiting_.data() + first * metric_.length, count);
                use(*worker.slice, {{resident_ + first, 0, count}});
            }
        });
    }

    FeatureMetric metric_;
    std::size_t query_batch_;
    std::vector<Worker> workers_;  // of the first device, then of the second, ...
    std::size_t devices_ = 1;
    std::size_t resident_ = 0;
    std::size_t slice_vectors_ = std::size_t{1} << 20;
    std::vector<std::uint16_t> waiting_;  // [vector][word]
};

GalleryIndex::GalleryIndex(FeatureMetric metric, const DetectionDevice& device,
                           const GalleryIndexOptions& options)
    : implementation_(std::make_unique<Implementation>(std::move(metric), device, options)) {}
GalleryIndex::~GalleryIndex() = default;
GalleryIndex::GalleryIndex(GalleryIndex&&) noexcept = default;
GalleryIndex& GalleryIndex::operator=(GalleryIndex&&) noexcept = default;

void GalleryIndex::add(const std::uint16_t* rows, std::size_t count) {
    implementation_->add(rows, count);
}
std::size_t GalleryIndex::size() const {
    return implementation_->size();
}
std::size_t GalleryIndex::waiting() const {
    return implementation_->waiting();
}
std::vector<Neighbour> GalleryIndex::search(const std::uint16_t* queries, std::size_t count, std::size_t k) {
    return implementation_->search(queries, count, k);
}
void GalleryIndex::distances(const std::uint16_t* queries, std::size_t count, double* out) {
    implementation_->distances(queries, count, out);
}

}  // namespace fovea
