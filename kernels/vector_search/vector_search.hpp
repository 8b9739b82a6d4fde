#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/core/device.hpp"
#include "kernels/nearest/neighbour.hpp"
#include "kernels/vector_search/vector_distance_body.hpp"

namespace fovea {

/// A gallery of vectors of integers, such as embeddings of faces, on one device, searched exhaustively for
/// the k nearest neighbours. Results are exact, and equal in every bit on every device, for any batch, split
/// and number of threads.
///
/// A vector takes 2 bytes a component, which the CPU rounds up to 2 components and a GPU to 64, and 16 bytes
/// more. For one thread at a time; the CPU's searches use all threads of the caller's TBB arena.
class VectorGallery {
  public:
    /// \param device must outlive this. \param length of all vectors, 1 to max_vector_length.
    /// \throws std::invalid_argument if the length is out of range.
    VectorGallery(const Device& device, std::size_t length, VectorDistance distance);
    ~VectorGallery();
    VectorGallery(VectorGallery&&) noexcept;
    VectorGallery& operator=(VectorGallery&&) noexcept;

    /// Appends vectors; adds nothing if it throws. \param rows [count][length] in host memory, read before it
    /// returns. \throws std::invalid_argument if a component is -32768; std::length_error beyond 2^32 - 1
    /// vectors; DeviceError or std::bad_alloc if memory runs out.
    void add(const std::int16_t* rows, std::size_t count);

    std::size_t size() const;
    std::size_t bytes() const;  ///< that the vectors take on the device
    void clear();               ///< keeps the memory

    /// Finds the `k` nearest vectors of each query, by rising distance, then index.
    /// \param queries [count][length] in host memory. \return [count][min(k, size())].
    /// \throws std::invalid_argument if k is 0 or a component is -32768; DeviceError; std::bad_alloc if
    /// memory runs out.
    std::vector<Neighbour> search(const std::int16_t* queries, std::size_t count, std::size_t k) const;

    /// Finds the `k` nearest other vectors of each vector of the gallery, by rising distance, then index. A
    /// vector is left out of its own neighbours, its equals are not. Pairs are compared tile by tile. Beside
    /// the result, a GPU takes memory for the candidates and results of some thousand vectors, less than 2 GB
    /// for k up to 1024 and 1 KB a vector more beyond; the CPU takes next to nothing.
    /// \return [size()][min(k, size() - 1)]. \throws as search().
    std::vector<Neighbour> neighbours(std::size_t k) const;

    /// Computes all distances. \param queries in host memory. \param out receives [count][size()].
    /// \throws as search().
    void distances(const std::int16_t* queries, std::size_t count, double* out) const;

  private:
    class Implementation;
    std::unique_ptr<Implementation> implementation_;
};

/// The distance of two vectors by the definition, one component after the other, as a reference for tests.
/// \param first, second [length]. \throws std::invalid_argument as VectorGallery.
double vector_distance(VectorDistance distance, const std::int16_t* first, const std::int16_t* second,
                       std::size_t length);

}  // namespace fovea
