#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/histogram_search/histogram_distance_body.hpp"
#include "kernels/histogram_search/histogram_layout.hpp"

namespace fovea {

/// Faces by subject: their vectors of counts.
struct SubjectFaces {
    std::vector<const std::uint16_t*> counts;
    std::vector<std::string> subjects;  ///< parallel to counts
};

/// Rank-1 rates when every face is searched among all others.
struct SubjectRates {
    std::size_t probes = 0;        ///< faces whose subject has another face; only they are counted
    std::vector<double> regions;   ///< of each region alone
    std::vector<double> weighted;  ///< of each of the sets of weights
};

/// Searches every face among all others, by each region alone and by the weighted sum of all regions with
/// each set of weights; of equally near faces the first counts. Costs O(faces² · counts); uses the threads of
/// the caller's TBB arena.
/// \param distance with is_sum_over_regions(). \throws Error if no subject has two faces.
SubjectRates subject_rates(const HistogramLayout& layout, HistogramDistance distance,
                           const SubjectFaces& faces, const std::vector<std::vector<double>>& weights);

}  // namespace fovea
