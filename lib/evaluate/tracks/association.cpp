#include "lib/evaluate/tracks/association.hpp"

#include <algorithm>
#include <vector>

#include "lib/evaluate/statistics/numpy_sum.hpp"

namespace fovea {

void associate(std::span<const TrackPair> pairs, std::span<const LevelCounts> counts,
               std::span<const std::uint32_t> truth_boxes, std::span<const std::uint32_t> result_boxes,
               HotaNumbers& numbers) {
    // numpy sums a matrix of all true tracks and all of the results.
    const std::size_t width = result_boxes.size();
    const std::size_t size = truth_boxes.size() * width;
    std::vector<ArrayTerm> accuracy, recall, precision;
    for (std::size_t a = 0; a < hota_levels; ++a) {
        accuracy.clear();
        recall.clear();
        precision.clear();
        for (std::size_t i = 0; i < pairs.size(); ++i) {
            if (counts[i][a] == 0) continue;
            const double count = counts[i][a];
            const double truths = truth_boxes[pairs[i].truth];
            const double results = result_boxes[pairs[i].result];
            const std::size_t position = pairs[i].truth * width + pairs[i].result;
            accuracy.push_back({position, count * (count / std::max(1.0, truths + results - count))});
            recall.push_back({position, count * (count / std::max(1.0, truths))});
            precision.push_back({position, count * (count / std::max(1.0, results))});
        }
        const double found = std::max(1.0, numbers.tp[a]);
        numbers.ass_a[a] = numpy_sum(accuracy, 0, size) / found;
        numbers.ass_re[a] = numpy_sum(recall, 0, size) / found;
        numbers.ass_pr[a] = numpy_sum(precision, 0, size) / found;
    }
}

}  // namespace fovea
