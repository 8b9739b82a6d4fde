#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "lib/evaluate/detection/trace_steps.hpp"
#include "lib/evaluate/statistics/score_order.hpp"

namespace fovea {

/// The lowest scores of ranges of scores, falling, which hold about as many steps each; the last one is below
/// all. \param steps_of as of visit_by_falling_score()
template <class StepsOf>
std::vector<double> step_ranges(std::size_t images, const StepsOf& steps_of) {
    constexpr std::size_t of_range = std::size_t{1} << 18, stride = 256;
    std::vector<double> sample;  // the score of every 256th step
    std::size_t place = 0;
    for (std::size_t i = 0; i < images; ++i) {
        const TraceSteps& steps = steps_of(i);
        for (; place < steps.size(); place += stride) sample.push_back(steps.score(place));
        place -= steps.size();
    }
    std::sort(sample.begin(), sample.end(), std::greater<>());
    std::vector<double> lowest;
    for (std::size_t k = of_range / stride; k < sample.size(); k += of_range / stride) {
        if (lowest.empty() || sample[k] < lowest.back()) lowest.push_back(sample[k]);
    }
    lowest.push_back(-std::numeric_limits<double>::infinity());
    return lowest;
}

/// Calls `visit(image, step, ends_score)` for the steps of all images by falling score, then by image, then
/// by step. `ends_score` is true for the last step of a score.
/// \param steps_of gives the steps of an image, whose scores never rise.
template <class StepsOf, class Visit>
void visit_by_falling_score(std::size_t images, const StepsOf& steps_of, const Visit& visit) {
    // Steps are sorted range after range of the scores: no list of all steps, of which there may be millions.
    struct Next {
        double score = 0;
        std::uint32_t image = 0;
        std::uint32_t step = 0;
    };
    std::vector<std::size_t> reached(images);
    std::vector<Next> range;
    for (const double lowest : step_ranges(images, steps_of)) {
        range.clear();
        for (std::size_t i = 0; i < images; ++i) {
            const TraceSteps& steps = steps_of(i);
            std::size_t& step = reached[i];
            for (; step < steps.size() && steps.score(step) >= lowest; ++step)
                range.push_back(
                    {steps.score(step), static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(step)});
        }
        sort_by_falling_score(range);
        for (std::size_t k = 0; k < range.size(); ++k) {
            const bool ends_score = k + 1 == range.size() || range[k + 1].score != range[k].score;
            visit(std::size_t{range[k].image}, std::size_t{range[k].step}, ends_score);
        }
    }
}

}  // namespace fovea
