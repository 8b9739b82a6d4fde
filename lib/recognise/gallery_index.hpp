#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/histogram_search/histogram_search.hpp"
#include "lib/detect/detection_device.hpp"

namespace fovea {

struct GalleryIndexOptions {
    /// Of the gallery's vectors on each GPU, bytes; larger galleries are streamed through. 0 = a part of what is free.
    std::size_t memory_bytes = 0;
    std::size_t query_batch = 4096;  ///< searched with at once, at most
};

/// A gallery on a device or spread over several GPUs, searched exhaustively and exactly: results are equal in every bit
/// for any device, number of GPUs, memory and batch. Not for use by several threads at once.
class GalleryIndex {
  public:
    /// \throws std::invalid_argument as check_histogram_layout; DeviceError.
    GalleryIndex(HistogramLayout layout, HistogramDistance distance, const DetectionDevice& device,
                 const GalleryIndexOptions& options = {});
    ~GalleryIndex();
    GalleryIndex(const GalleryIndex&) = delete;
    GalleryIndex& operator=(const GalleryIndex&) = delete;

    /// Appends vectors. \param counts [count][layout.bins]. Errors as HistogramGallery::add.
    void add(const std::uint16_t* counts, std::size_t count);
    std::size_t size() const;

    /// The `k` nearest of each query, by rising distance, then index. \param queries [count][layout.bins].
    /// \return [count][min(k, size())]. \throws std::invalid_argument for k = 0; DeviceError.
    std::vector<Neighbour> search(const std::uint16_t* queries, std::size_t count, std::size_t k);
    /// All distances, [count][size()].
    void distances(const std::uint16_t* queries, std::size_t count, double* out);

  private:
    class Implementation;
    std::unique_ptr<Implementation> implementation_;
};

}  // namespace fovea
