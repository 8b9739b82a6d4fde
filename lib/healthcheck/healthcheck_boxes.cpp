#include "lib/healthcheck/healthcheck_boxes.hpp"

#include <cmath>

#include "lib/core/text.hpp"

namespace fovea {

bool boxes_may_leave_images(const Dataset& dataset) {
    return dataset.format == "uiuc" || dataset.format == "uiuc-scale";
}

std::string box_in_words(const Box& box) {
    return "[" + shortest_number(box.x) + ", " + shortest_number(box.y) + ", " + shortest_number(box.w) +
           ", " + shortest_number(box.h) + "]";
}

void BoxChecker::check(const Box& box) {
    const std::string words = box_in_words(box);
    if (!std::isfinite(box.x) || !std::isfinite(box.y) || !std::isfinite(box.w) || !std::isfinite(box.h)) {
        report_(FindingKind::not_finite, "the box " + words);
        return;
    }
    // Two boxes without area at one place are no more wrong than one of them.
    if (box.w <= 0 || box.h <= 0) {
        report_(kinds_.degenerate, "the box " + words);
        return;
    }
    if (!seen_.insert({box.x, box.y, box.w, box.h}).second) report_(kinds_.duplicate, "the box " + words);
    if (!size_) return;
    const double width = size_->width;
    const double height = size_->height;
    const std::string against = "the box " + words + " of an image of " + std::to_string(size_->width) + "x" +
                                std::to_string(size_->height);
    if (box.x >= width || box.y >= height || box.x + box.w <= 0 || box.y + box.h <= 0) {
        report_(kinds_.outside, against);
    } else if (box.x < 0 || box.y < 0 || box.x + box.w > width || box.y + box.h > height) {
        report_(kinds_.partly_outside, against);
    }
}

}  // namespace fovea
