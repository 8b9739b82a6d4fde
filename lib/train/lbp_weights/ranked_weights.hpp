#pragma once

#include <cstddef>
#include <vector>

#include "lib/recognise/recogniser_config.hpp"
#include "lib/train/lbp_weights/region_pairs.hpp"

namespace fovea {

/// Weights from how well each region recognises alone, by the rule of Ahonen, Hadid and Pietikäinen ("Face
/// Recognition with Local Binary Patterns", ECCV 2004, section 4; the same in their paper of 2006): rates of
/// corresponding regions of the left and right half of the face are averaged; regions whose rate lies below
/// the 0.2 percentile of the rates weigh 0, above the 0.8 percentile 2, above the 0.9 percentile 4, all
/// others 1. Percentiles are interpolated between the sorted rates.
/// \param rates of every region. \param mirrored for each region, the region at its mirrored place,
/// or itself.
std::vector<double> ranked_weights(const std::vector<double>& rates,
                                   const std::vector<std::size_t>& mirrored);

/// For every region of every feature, the region of the same feature that covers most of its mirror image on
/// the face, and at least half of it; itself if there is none.
std::vector<std::size_t> mirrored_regions(const RecogniserConfig& config);

/// The share of the pairs that each region alone judges rightly at the threshold that is best for it.
std::vector<double> region_accuracies(const RegionPairs& pairs);

}  // namespace fovea
