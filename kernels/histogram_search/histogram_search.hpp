#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/core/device.hpp"
#include "kernels/histogram_search/histogram_distance_body.hpp"
#include "kernels/histogram_search/histogram_layout.hpp"
#include "kernels/nearest/neighbour.hpp"

namespace fovea {

/// \throws std::invalid_argument if there is no block, a block has no bin or a number out of range,
/// layout.bins is not the sum of the blocks' bins or more than 2^28, or sums could exceed 63 bits.
void check_histogram_layout(const HistogramLayout& layout);

/// A gallery of histograms on one device, searched exhaustively for the k nearest neighbours by a weighted
/// distance (Ahonen, Hadid, Pietikäinen 2006, equation 8; Tek 2012, section 3.2.2). Results are exact, and
/// equal in every bit on every device, for any batch, split and number of threads.
///
/// Counts are kept in 8 bits where the layout says that they fit, else in 16. For one thread at a time.
class HistogramGallery {
  public:
    /// \param device must outlive this. \throws std::invalid_argument as check_histogram_layout.
    HistogramGallery(const Device& device, HistogramLayout layout, HistogramDistance distance);
    ~HistogramGallery();
    HistogramGallery(HistogramGallery&&) noexcept;
    HistogramGallery& operator=(HistogramGallery&&) noexcept;

    /// Appends vectors; adds nothing if it throws. \param counts [count][layout.bins] in host memory, read
    /// before it returns. \throws std::invalid_argument if a count is larger than its block's largest;
    /// std::length_error beyond 2^32 - 1 vectors; DeviceError or std::bad_alloc if memory runs out.
    void add(const std::uint16_t* counts, std::size_t count);

    std::size_t size() const;
    std::size_t bytes() const;  ///< that the vectors take on the device
    void clear();               ///< keeps the memory

    /// Finds the `k` nearest vectors of each query, by rising distance, then index.
    /// \param queries [count][layout.bins] in host memory. \return [count][min(k, size())].
    /// \throws std::invalid_argument if k is 0 or a count is larger than its block's largest; DeviceError;
    /// std::bad_alloc if memory runs out.
    std::vector<Neighbour> search(const std::uint16_t* queries, std::size_t count, std::size_t k) const;
    /// Does search() for queries in the device's memory, whose counts are not checked.
    std::vector<Neighbour> search_from_device(const std::uint16_t* queries, std::size_t count,
                                              std::size_t k) const;

    /// Computes all distances. \param queries in host memory. \param out receives [count][size()].
    void distances(const std::uint16_t* queries, std::size_t count, double* out) const;

  private:
    class Implementation;
    std::unique_ptr<Implementation> implementation_;
};

/// The distance of two vectors by the definition, one bin after the other, as a reference for tests.
double histogram_distance(const HistogramLayout& layout, HistogramDistance distance,
                          const std::uint16_t* first, const std::uint16_t* second);

}  // namespace fovea
