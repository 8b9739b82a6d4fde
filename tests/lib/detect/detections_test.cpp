#include "lib/detect/detections.hpp"

#include <catch2/catch.hpp>

#include "lib/core/overlap.hpp"
#include "lib/core/splitmix.hpp"

using namespace fovea;

namespace {

std::vector<Box> random_boxes(std::size_t count, std::uint64_t seed) {
    const auto number = [&, next = seed](int below) mutable {
        return static_cast<double>(mixed(next++) % static_cast<std::uint64_t>(below));
    };
    auto draw = number;
    std::vector<Box> boxes;
    for (std::size_t i = 0; i < count; ++i)
        boxes.push_back({draw(900) - 20, draw(700) - 20, draw(80) / 2, draw(80) / 2});
    return boxes;
}

/// Every box that stays is compared with all behind it.
std::vector<std::size_t> strongest_by_definition(const std::vector<Box>& boxes, double max_iou) {
    std::vector<char> is_dropped(boxes.size(), 0);
    std::vector<std::size_t> kept;
    for (std::size_t i = 0; i < boxes.size(); ++i) {
        if (is_dropped[i] != 0) continue;
        kept.push_back(i);
        for (std::size_t k = i + 1; k < boxes.size(); ++k)
            if (intersection_over_union(boxes[i], boxes[k]) > max_iou) is_dropped[k] = 1;
    }
    return kept;
}

}  // namespace

TEST_CASE("the strongest boxes are those of the definition, of few boxes and of many", "[detect]") {
    for (const std::size_t count : {0U, 1U, 2U, 15U, 16U, 17U, 700U, 4000U, 4001U, 5000U}) {
        for (const double max_iou : {0.0, 0.3, 0.9}) {
            CAPTURE(count, max_iou);
            const std::vector<Box> boxes = random_boxes(count, count + 1);
            const auto kept = strongest(
                boxes, [&](const Box& a, const Box& b) { return intersection_over_union(a, b) > max_iou; });
            CHECK(kept == strongest_by_definition(boxes, max_iou));
        }
    }
}

TEST_CASE("a box drops the weaker ones alone, and dropped boxes drop nothing", "[detect]") {
    // Each overlaps its neighbours by more than a third; the second is dropped, so that the third stays.
    const std::vector<Box> boxes{{0, 0, 10, 10}, {4, 0, 10, 10}, {8, 0, 10, 10}, {30, 0, 10, 10}};
    CHECK(strongest(boxes, [](const Box& a, const Box& b) { return intersection_over_union(a, b) > 0.3; }) ==
          std::vector<std::size_t>{0, 2, 3});
}
