#include "kernels/histogram_search/histogram_search.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "kernels/histogram_search/cpu_gallery.hpp"
#include "kernels/histogram_search/gpu_gallery.hpp"
#include "kernels/histogram_search/search_plan.hpp"

namespace fovea {

class HistogramGallery::Implementation {
  public:
    Implementation(const Device& device, HistogramLayout layout, HistogramDistance distance)
        : layout_(std::move(layout)) {
        check_histogram_layout(layout_);
        if (device.is_cuda()) {
            gpu_ = std::make_unique<cuda_backend::GpuHistogramGallery>(device, layout_, distance);
        } else {
            cpu_.emplace(layout_, distance);
        }
    }

    void add(const std::uint16_t* counts, std::size_t count) {
        if (count > std::numeric_limits<std::uint32_t>::max() - size()) {
            throw std::length_error("a gallery of histograms would have more than 2^32 - 1 vectors");
        }
        check_counts(layout_, counts, count, "gallery vector", size());
        if (count == 0) return;
        if (gpu_) {
            gpu_->add(counts, count);
        } else {
            cpu_->add(counts, count);
        }
    }

    std::size_t size() const { return gpu_ ? gpu_->size() : cpu_->size(); }
    std::size_t bytes() const { return gpu_ ? gpu_->bytes() : cpu_->bytes(); }
    void clear() { gpu_ ? gpu_->clear() : cpu_->clear(); }

    std::vector<Neighbour> search(const std::uint16_t* queries, std::size_t count, std::size_t k,
                                  bool on_device) {
        if (k == 0) throw std::invalid_argument("a search for the 0 nearest neighbours finds nothing");
        if (!on_device) check_counts(layout_, queries, count, "query", 0);
        if (count == 0 || size() == 0) return {};
        return gpu_ ? gpu_->search(queries, count, k, on_device) : cpu_->search(queries, count, k);
    }

    void distances(const std::uint16_t* queries, std::size_t count, double* out) {
        check_counts(layout_, queries, count, "query", 0);
        if (count == 0 || size() == 0) return;
        if (gpu_) {
            gpu_->distances(queries, count, out);
        } else {
            cpu_->distances(queries, count, out);
        }
    }

  private:
    HistogramLayout layout_;
    std::optional<CpuHistogramGallery> cpu_;
    std::unique_ptr<cuda_backend::GpuHistogramGallery> gpu_;
};

HistogramGallery::HistogramGallery(const Device& device, HistogramLayout layout, HistogramDistance distance)
    : implementation_(std::make_unique<Implementation>(device, std::move(layout), distance)) {}
HistogramGallery::~HistogramGallery() = default;
HistogramGallery::HistogramGallery(HistogramGallery&&) noexcept = default;
HistogramGallery& HistogramGallery::operator=(HistogramGallery&&) noexcept = default;

void HistogramGallery::add(const std::uint16_t* counts, std::size_t count) {
    implementation_->add(counts, count);
}
std::size_t HistogramGallery::size() const {
    return implementation_->size();
}
std::size_t HistogramGallery::bytes() const {
    return implementation_->bytes();
}
void HistogramGallery::clear() {
    implementation_->clear();
}
std::vector<Neighbour> HistogramGallery::search(const std::uint16_t* queries, std::size_t count,
                                                std::size_t k) const {
    return implementation_->search(queries, count, k, false);
}
std::vector<Neighbour> HistogramGallery::search_from_device(const std::uint16_t* queries, std::size_t count,
                                                            std::size_t k) const {
    return implementation_->search(queries, count, k, true);
}
void HistogramGallery::distances(const std::uint16_t* queries, std::size_t count, double* out) const {
    implementation_->distances(queries, count, out);
}

double histogram_distance(const HistogramLayout& layout, HistogramDistance distance,
                          const std::uint16_t* first, const std::uint16_t* second) {
    check_histogram_layout(layout);
    std::uint32_t largest = 0;
    for (const HistogramBlock& block : layout.blocks) largest = std::max(largest, block.largest);
    const int bits = chi_square_bits(largest);
    std::int64_t sum = 0, first_squares = 0, second_squares = 0;
    for (const HistogramBlock& block : layout.blocks) {
        const std::int64_t weight = block.weight;
        for (std::uint32_t bin = 0; bin < block.bins; ++bin, ++first, ++second) {
            const std::int64_t a = *first, b = *second;
            switch (distance) {
                case HistogramDistance::chi_square:
                    sum += weight *
                           ((a + b) * (std::int64_t{1} << bits) - chi_square_term(*first, *second, bits));
                    break;
                case HistogramDistance::intersection:
                    sum += weight * (a + b - 2 * std::min(a, b));
                    break;
                case HistogramDistance::l1:
                    sum += weight * (a > b ? a - b : b - a);
                    break;
                case HistogramDistance::l2:
                    sum += weight * (a - b) * (a - b);
                    break;
                case HistogramDistance::cosine:
                    sum += weight * a * b;
                    first_squares += weight * a * a;
                    second_squares += weight * b * b;
                    break;
            }
        }
    }
    return finished_distance(distance, bits, sum, first_squares, second_squares);
}

}  // namespace fovea
