// The stand-in of a build without CUDA.

#include <string>

#include "kernels/core/gpu_device.hpp"
#include "kernels/vector_search/gpu_vector_gallery.hpp"

namespace fovea::cuda_backend {

class GpuVectorGallery::Implementation {};

GpuVectorGallery::GpuVectorGallery(const Device& device, std::size_t, VectorDistance) {
    throw built_without_cuda("cannot search on " + device.name());
}

// Never called: no such object exists.
GpuVectorGallery::~GpuVectorGallery() = default;
void GpuVectorGallery::add(const std::int16_t*, std::size_t) {}
std::size_t GpuVectorGallery::size() const {
    return 0;
}
std::size_t GpuVectorGallery::bytes() const {
    return 0;
}
void GpuVectorGallery::clear() {}
std::vector<Neighbour> GpuVectorGallery::search(const std::int16_t*, std::size_t, std::size_t) {
    return {};
}
std::vector<Neighbour> GpuVectorGallery::neighbours(std::size_t) {
    return {};
}
void GpuVectorGallery::distances(const std::int16_t*, std::size_t, double*) {}

}  // namespace fovea::cuda_backend
