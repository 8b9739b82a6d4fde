#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

#include "lib/recognise/gallery_file.hpp"
#include "lib/recognise/gallery_index.hpp"

namespace fovea {

/// A gallery in memory, searched by the features of faces. Results are equal for any device.
class GallerySearch {
  public:
    /// Moves the gallery's vectors to the device. \throws as GalleryIndex.
    GallerySearch(Gallery gallery, const DetectionDevice& device);

    const GalleryInfo& info() const { return info_; }
    const std::vector<GalleryFace>& faces() const { return faces_; }  ///< without features

    /// True for faces of the gallery that a query is not compared with.
    using PassOver = std::function<bool(std::size_t query, std::size_t face)>;

    /// The nearest face of each of the `k` nearest subjects, by rising distance, then order in the gallery;
    /// every face of an unknown subject stands for itself. \param queries [count][length], host memory.
    /// \param k at least 1.
    /// \return for each query up to k neighbours, with their places in faces().
    /// \throws as GalleryIndex::search.
    std::vector<std::vector<Neighbour>> search(const std::uint16_t* queries, std::size_t count, std::size_t k,
                                               const PassOver& pass_over = {});

    /// The distances to all faces, [count][faces().size()].
    void distances(const std::uint16_t* queries, std::size_t count, double* out);

  private:
    std::vector<Neighbour> best_of_subjects(const Neighbour* nearest, std::size_t count, std::size_t k,
                                            std::size_t query, const PassOver& pass_over) const;

    GalleryInfo info_;
    std::vector<GalleryFace> faces_;
    /// Subjects of faces_, as numbers; each unknown subject has its own.
    std::vector<std::size_t> subjects_;
    std::size_t subject_count_ = 0;
    FeatureMetric metric_;
    GalleryIndex index_;
};

}  // namespace fovea
