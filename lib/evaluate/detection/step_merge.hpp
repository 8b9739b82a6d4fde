#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "lib/evaluate/detection/image_trace.hpp"

namespace fovea {

/// Calls `visit(image, step, ends_score)` for the steps of all images by falling score, then by image, then
/// by step. `ends_score` is true for the last step of a score.
/// \param steps_of gives the steps of an image, whose scores never rise.
template <class StepsOf, class Visit>
void visit_by_falling_score(std::size_t images, const StepsOf& steps_of, const Visit& visit) {
    // A heap of the images by the score of their next step: no list of all steps, of which there may
    // be millions.
    struct Next {
        double score = 0;
        std::uint32_t image = 0;
        std::uint32_t step = 0;
    };
    const auto before = [](const Next& a, const Next& b) {
        return a.score != b.score ? a.score > b.score : a.image < b.image;
    };
    std::vector<Next> heap;
    const auto sift_down = [&](std::size_t place) {
        while (true) {
            std::size_t first = 2 * place + 1;
            if (first >= heap.size()) return;
            if (first + 1 < heap.size() && before(heap[first + 1], heap[first])) ++first;
            if (!before(heap[first], heap[place])) return;
            std::swap(heap[first], heap[place]);
            place = first;
        }
    };
    for (std::size_t i = 0; i < images; ++i) {
        const std::vector<ImageTrace::Step>& steps = steps_of(i);
        if (!steps.empty()) heap.push_back({steps.front().score, static_cast<std::uint32_t>(i), 0});
    }
    for (std::size_t place = heap.size() / 2; place-- > 0;) sift_down(place);
    while (!heap.empty()) {
        const Next now = heap.front();
        const std::vector<ImageTrace::Step>& steps = steps_of(now.image);
        const std::size_t next = std::size_t{now.step} + 1;
        if (next < steps.size()) {
            heap.front() = {steps[next].score, now.image, static_cast<std::uint32_t>(next)};
        } else {
            heap.front() = heap.back();
            heap.pop_back();
        }
        sift_down(0);
        visit(std::size_t{now.image}, std::size_t{now.step}, heap.empty() || heap.front().score != now.score);
    }
}

}  // namespace fovea
