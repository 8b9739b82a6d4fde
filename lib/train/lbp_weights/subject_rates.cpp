#include "lib/train/lbp_weights/subject_rates.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>

#include <tbb/parallel_for.h>

#include "lib/core/error.hpp"
#include "lib/train/lbp_weights/region_pairs.hpp"

namespace fovea {
namespace {

struct Nearest {
    double distance = std::numeric_limits<double>::infinity();
    std::size_t face = 0;

    void offer(double other, std::size_t index) {
        if (other < distance) *this = {other, index};
    }
};

}  // namespace

SubjectRates subject_rates(const HistogramLayout& layout, HistogramDistance distance,
                           const SubjectFaces& faces, const std::vector<std::vector<double>>& weights) {
    std::map<std::string, std::size_t> faces_of;
    for (const std::string& subject : faces.subjects) ++faces_of[subject];
    std::vector<std::size_t> probes;
    for (std::size_t i = 0; i < faces.counts.size(); ++i) {
        if (faces_of[faces.subjects[i]] > 1) probes.push_back(i);
    }
    if (probes.empty()) {
        throw Error("no subject has two faces that were found; searches need several faces of a subject");
    }
    const std::size_t regions = layout.blocks.size();
    const std::size_t searches = regions + weights.size();
    std::vector<std::uint8_t> right(probes.size() * searches);
    tbb::parallel_for(std::size_t{0}, probes.size(), [&](std::size_t p) {
        const std::size_t probe = probes[p];
        std::vector<Nearest> nearest(searches);
        std::vector<double> distances(regions);
        for (std::size_t other = 0; other < faces.counts.size(); ++other) {
            if (other == probe) continue;
            region_distances(layout, distance, faces.counts[probe], faces.counts[other], distances.data());
            for (std::size_t r = 0; r < regions; ++r) nearest[r].offer(distances[r], other);
            for (std::size_t w = 0; w < weights.size(); ++w) {
                nearest[regions + w].offer(
                    std::inner_product(distances.begin(), distances.end(), weights[w].begin(), 0.0), other);
            }
        }
        for (std::size_t s = 0; s < searches; ++s) {
            right[p * searches + s] = faces.subjects[nearest[s].face] == faces.subjects[probe] ? 1 : 0;
        }
    });
    std::vector<double> rates(searches, 0);
    for (std::size_t i = 0; i < right.size(); ++i) rates[i % searches] += right[i];
    for (double& rate : rates) rate /= static_cast<double>(probes.size());
    const auto split = rates.begin() + static_cast<std::ptrdiff_t>(regions);
    return {probes.size(), {rates.begin(), split}, {split, rates.end()}};
}

}  // namespace fovea
