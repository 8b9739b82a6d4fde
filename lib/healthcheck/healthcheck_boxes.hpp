#pragma once

#include <array>
#include <functional>
#include <optional>
#include <set>
#include <string>

#include "lib/healthcheck/healthcheck.hpp"

namespace fovea {

/// The kinds of findings on a box; annotated faces and detections have kinds of their own.
struct BoxKinds {
    FindingKind degenerate{};
    FindingKind duplicate{};
    FindingKind partly_outside{};
    FindingKind outside{};
};

/// Checks the boxes of one image, one after the other.
class BoxChecker {
  public:
    using Report = std::function<void(FindingKind, const std::string& detail)>;

    BoxChecker(const BoxKinds& kinds, std::optional<ImageSize> size, Report report)
        : kinds_(kinds), size_(size), report_(std::move(report)) {}

    void check(const Box& box);

  private:
    BoxKinds kinds_;
    std::optional<ImageSize> size_;
    Report report_;
    std::set<std::array<double, 4>> seen_;
};

/// True for sets whose protocol has boxes that reach beyond the image: UIUC's boxes of cars stay whole where
/// the border cuts the cars.
bool boxes_may_leave_images(const Dataset& dataset);

/// "[x, y, w, h]".
std::string box_in_words(const Box& box);

}  // namespace fovea
