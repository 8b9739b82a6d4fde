#include "kernels/vector_search/vector_search.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include "kernels/vector_search/cpu_vector_gallery.hpp"
#include "kernels/vector_search/gpu_vector_gallery.hpp"

namespace fovea {
namespace {

void check_length(std::size_t length) {
    if (length >= 1 && length <= max_vector_length) return;
    throw std::invalid_argument("a gallery cannot hold vectors of length " + std::to_string(length) +
                                ": lengths are 1 to " + std::to_string(max_vector_length));
}

void check_k(std::size_t k) {
    if (k == 0) throw std::invalid_argument("a search for the 0 nearest neighbours finds nothing");
}

// The least number of 16 bits has no opposite.
constexpr std::int16_t refused = std::numeric_limits<std::int16_t>::min();

// \param what names a row in the message: "query". \param first number of the first row.
void check_rows(const std::int16_t* rows, std::size_t count, std::size_t length, const char* what,
                std::size_t first) {
    // The first that is wrong is named, whichever thread finds one first.
    const std::size_t all = count * length;
    std::atomic<std::size_t> wrong{all};
    constexpr std::size_t grain = std::size_t{1} << 18;
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, all, grain), [&](const auto& range) {
        if (range.begin() >= wrong) return;
        const auto at =
            static_cast<std::size_t>(std::find(rows + range.begin(), rows + range.end(), refused) - rows);
        if (at == range.end()) return;
        std::size_t before = wrong;
        while (at < before && !wrong.compare_exchange_weak(before, at)) {
        }
    });
    if (wrong == all) return;
    throw std::invalid_argument(std::string(what) + " " + std::to_string(first + wrong / length) +
                                " has -32768 as component " + std::to_string(wrong % length) +
                                ": components are from -32767 to 32767");
}

}  // namespace

class VectorGallery::Implementation {
  public:
    Implementation(const Device& device, std::size_t length, VectorDistance distance) : length_(length) {
        check_length(length);
        if (device.is_cuda()) {
            gpu_ = std::make_unique<cuda_backend::GpuVectorGallery>(device, length, distance);
        } else {
            cpu_.emplace(length, distance);
        }
    }

    void add(const std::int16_t* rows, std::size_t count) {
        if (count > std::numeric_limits<std::uint32_t>::max() - size()) {
            throw std::length_error("a gallery would have more than 2^32 - 1 vectors");
        }
        check_rows(rows, count, length_, "gallery vector", size());
        if (count == 0) return;
        if (gpu_) {
            gpu_->add(rows, count);
        } else {
            cpu_->add(rows, count);
        }
    }

    std::size_t size() const { return gpu_ ? gpu_->size() : cpu_->size(); }
    std::size_t bytes() const { return gpu_ ? gpu_->bytes() : cpu_->bytes(); }
    void clear() { gpu_ ? gpu_->clear() : cpu_->clear(); }

    std::vector<Neighbour> search(const std::int16_t* queries, std::size_t count, std::size_t k) {
        check_k(k);
        check_rows(queries, count, length_, "query", 0);
        if (count == 0 || size() == 0) return {};
        k = std::min(k, size());
        return gpu_ ? gpu_->search(queries, count, k) : cpu_->search(queries, count, k);
    }

    std::vector<Neighbour> neighbours(std::size_t k) {
        check_k(k);
        if (size() <= 1) return {};
        k = std::min(k, size() - 1);
        return gpu_ ? gpu_->neighbours(k) : cpu_->neighbours(k);
    }

    void distances(const std::int16_t* queries, std::size_t count, double* out) {
        check_rows(queries, count, length_, "query", 0);
        if (count == 0 || size() == 0) return;
        if (gpu_) {
            gpu_->distances(queries, count, out);
        } else {
            cpu_->distances(queries, count, out);
        }
    }

  private:
    std::size_t length_;
    std::optional<CpuVectorGallery> cpu_;
    std::unique_ptr<cuda_backend::GpuVectorGallery> gpu_;
};

VectorGallery::VectorGallery(const Device& device, std::size_t length, VectorDistance distance)
    : implementation_(std::make_unique<Implementation>(device, length, distance)) {}
VectorGallery::~VectorGallery() = default;
VectorGallery::VectorGallery(VectorGallery&&) noexcept = default;
VectorGallery& VectorGallery::operator=(VectorGallery&&) noexcept = default;

void VectorGallery::add(const std::int16_t* rows, std::size_t count) {
    implementation_->add(rows, count);
}
std::size_t VectorGallery::size() const {
    return implementation_->size();
}
std::size_t VectorGallery::bytes() const {
    return implementation_->bytes();
}
void VectorGallery::clear() {
    implementation_->clear();
}
std::vector<Neighbour> VectorGallery::search(const std::int16_t* queries, std::size_t count,
                                             std::size_t k) const {
    return implementation_->search(queries, count, k);
}
std::vector<Neighbour> VectorGallery::neighbours(std::size_t k) const {
    return implementation_->neighbours(k);
}
void VectorGallery::distances(const std::int16_t* queries, std::size_t count, double* out) const {
    implementation_->distances(queries, count, out);
}

double vector_distance(VectorDistance distance, const std::int16_t* first, const std::int16_t* second,
                       std::size_t length) {
    check_length(length);
    check_rows(first, 1, length, "vector", 0);
    check_rows(second, 1, length, "vector", 1);
    std::int64_t dot = 0, first_squares = 0, second_squares = 0;
    for (std::size_t i = 0; i < length; ++i) {
        const std::int64_t a = first[i], b = second[i];
        dot += a * b;
        first_squares += a * a;
        second_squares += b * b;
    }
    return distance_of_rank(distance, pair_rank(distance, dot, vector_own(distance, first_squares),
                                                vector_own(distance, second_squares)));
}

}  // namespace fovea
