#pragma once

#include "lib/core/types.hpp"
#include "lib/evaluate/detection/detection.hpp"

namespace fovea {

/// UIUC's rule for a detection: its place lies in an ellipse about the car's place, whose half axes are 25 %
/// of the car's height and width. In the multi-scale set it is an ellipsoid; the third half axis is 25 % of
/// the car's width, along which the widths of the windows are compared.
///
/// The place is the top left corner (single scale; sizes of detections have no effect) or the centre
/// (multi-scale). Strict: as Evaluator.java and Evaluator_Scale.java of 14 July 2004 compute. They read whole
/// numbers, to which coordinates and widths are rounded here, halves upwards; in the multi-scale set every
/// window is 0.4 times as high as wide, and halves of heights and widths are cut to whole pixels. Corrected:
/// boxes as they are.
///
/// Source: S. Agarwal, A. Awan, D. Roth, "Learning to detect objects in images via a sparse, part-based
/// representation", PAMI 26(11), 2004, and the set's README.
class UiucRule {
  public:
    UiucRule(bool is_multi_scale, ProtocolMode mode) : is_multi_scale_(is_multi_scale), mode_(mode) {}

    /// The sum of squared distances over squared half axes: a hit is at most 1. Infinite if a box has
    /// no area.
    double distance(const Box& car, const Box& found) const;

    /// The point of a window that is compared.
    Point place(const Box& window) const;

    /// The box of the places of all hits on a car, and a little more.
    Box reach(const Box& car) const;

  private:
    struct Axes {
        double height = 0;
        double width = 0;
    };
    Axes half_axes(const Box& car) const;
    double width_of(const Box& window) const;

    bool is_multi_scale_;
    ProtocolMode mode_;
};

}  // namespace fovea
