#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "lib/device/detection_device.hpp"
#include "lib/recognise/recogniser_kinds.hpp"

namespace fovea {

struct GalleryIndexOptions {
    /// Memory of each device for gallery vectors. 0: three fifths of the free memory of a GPU, no limit on
    /// the CPU.
    std::size_t memory_bytes = 0;
    std::size_t query_batch = 4096;  ///< the most queries that a device gets at once; 0 means 1
};

/// A gallery of features on the CPU or on several GPUs together, of any size. It finds what one
/// FeatureGallery of all features finds.
///
/// GPUs share its vectors evenly. Those that find no room on the devices wait in host memory and go through
/// the devices in slices at every search: give it many queries at once then. Results are equal in every bit
/// for any device, limit and number of queries at once. Not for use by several threads at once; after a
/// DeviceError or std::bad_alloc it must not be used any more.
class GalleryIndex {
  public:
    /// \throws DeviceError if there is no such GPU.
    GalleryIndex(FeatureMetric metric, const DetectionDevice& device,
                 const GalleryIndexOptions& options = {});
    ~GalleryIndex();
    GalleryIndex(GalleryIndex&&) noexcept;
    GalleryIndex& operator=(GalleryIndex&&) noexcept;

    /// Appends vectors. \param rows [count][length]. \throws std::invalid_argument or std::length_error as
    /// HistogramGallery::add: nothing was added then; std::bad_alloc; DeviceError.
    void add(const std::uint16_t* rows, std::size_t count);

    std::size_t size() const;
    std::size_t waiting() const;  ///< vectors for which the devices have no room

    /// Do what HistogramGallery::search and distances do.
    std::vector<Neighbour> search(const std::uint16_t* queries, std::size_t count, std::size_t k);
    void distances(const std::uint16_t* queries, std::size_t count, double* out);

  private:
    class Implementation;
    std::unique_ptr<Implementation> implementation_;
};

}  // namespace fovea
