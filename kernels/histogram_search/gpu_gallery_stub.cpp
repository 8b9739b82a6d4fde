// The stand-in of a build without CUDA.

#include <string>

#include "kernels/core/gpu_device.hpp"
#include "kernels/histogram_search/gpu_gallery.hpp"

namespace fovea::cuda_backend {

class GpuHistogramGallery::Implementation {};

GpuHistogramGallery::GpuHistogramGallery(const Device& device, const HistogramLayout&, HistogramDistance) {
    throw built_without_cuda("cannot search on " + device.name());
}

// Never called: no such object exists.
GpuHistogramGallery::~GpuHistogramGallery() = default;
void GpuHistogramGallery::add(const std::uint16_t*, std::size_t) {}
std::size_t GpuHistogramGallery::size() const {
    return 0;
}
std::size_t GpuHistogramGallery::bytes() const {
    return 0;
}
void GpuHistogramGallery::clear() {}
std::vector<Neighbour> GpuHistogramGallery::search(const std::uint16_t*, std::size_t, std::size_t, bool) {
    return {};
}
void GpuHistogramGallery::distances(const std::uint16_t*, std::size_t, double*) {}

}  // namespace fovea::cuda_backend
