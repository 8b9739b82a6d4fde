#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "lib/evaluate/protocols/coco_match.hpp"
#include "lib/evaluate/statistics/resample.hpp"

namespace fovea {

constexpr std::size_t coco_recalls = 101;

/// The output of COCO's accumulate() for the images: precisions, recalls, and the faces behind them.
struct CocoCurves {
    template <class Value>
    using PerThreshold = std::array<Value, coco_thresholds>;

    /// The envelope at the recalls 0, 0.01 ... 1 of every threshold after another; 0 where a recall is
    /// not reached.
    std::array<std::array<double, coco_thresholds * coco_recalls>, coco_areas> precision{};
    std::array<PerThreshold<double>, coco_areas> recall{};  ///< of at most 100 detections per image
    PerThreshold<double> recall_of_1{};   ///< of the best detection of every image, all areas
    PerThreshold<double> recall_of_10{};  ///< of the 10 best detections of every image, all areas
    /// Counted faces; without any, the rest means nothing.
    std::array<std::uint64_t, coco_areas> faces{};
};

/// The matched detections of all images by falling score, in a form that gives the curves of any
/// weights fast.
///
/// Bits of 64 neighbouring detections, a set, say which detections find a face and which count, at every
/// threshold in every range of areas. Weighted sums over them (kernels/count) tell how far a set moves each
/// curve. Single detections are looked at only in sets in which a curve passes the place of a recall, or
/// could rise above the precision seen since the last such place.
class CocoCurve {
  public:
    /// \param order the images in the order in which detections of equal scores are taken (strict).
    CocoCurve(std::span<const CocoImage> images, std::span<const std::uint32_t> order, ProtocolMode mode);

    /// Computes the curves of a resample. \param curves is overwritten.
    void evaluate(Weights weights, CocoCurves& curves) const;

  private:
    static constexpr std::size_t curves_ = coco_areas * coco_thresholds;
    static constexpr std::size_t sets_ = 2 * curves_ + 2 * coco_thresholds;
    static constexpr std::size_t block_ = 64;

    /// The beginnings of each kind among the sets of a block.
    static constexpr std::size_t first_found = 0;
    static constexpr std::size_t first_counted = curves_;
    static constexpr std::size_t first_found_of_1 = 2 * curves_;
    static constexpr std::size_t first_found_of_10 = 2 * curves_ + coco_thresholds;

    class Walk;

    ProtocolMode mode_;
    std::vector<std::array<std::uint32_t, coco_areas>> faces_;  // of every image
    std::vector<std::uint32_t> image_of_;  // of every detection, filled up to whole blocks
    std::vector<std::uint64_t> bits_;      // sets_ words for every block
    std::vector<std::uint64_t> ends_;      // of every block: the last detections of their scores (corrected)
};

}  // namespace fovea
