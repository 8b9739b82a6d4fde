#pragma once

#include <cstdint>

#include "lib/detect/mct_model.hpp"

namespace fovea::test {

/// Adds a look-up whose weights are `weight_of(code)`.
template <class WeightOf>
void add_lookup(MctCascade& cascade, const MctLookup& lookup, const WeightOf& weight_of) {
    cascade.lookups.push_back(lookup);
    for (int code = 0; code < MctCascade::codes - 1; ++code) {
        cascade.weights.push_back(static_cast<std::int8_t>(weight_of(code)));
    }
    cascade.weights.push_back(0);
}

/// Finds a bright spot of about 4×4 level pixels in the middle of the window on a flat ground: the middle
/// block is above the mean and the corners are not. Windows that pass have margins of 20 - (-10 - 5) = 35
/// where the ground at the window's own (1, 1) is flat, 20 - (-10 + 7) = 23 elsewhere.
inline MctModel spot_model() {
    MctModel model;
    model.name = "spot";
    model.face = {6, 6, 12, 12};
    model.confidence = {{70, 1}, {210, 9}};
    constexpr int middle = 1 << 4;
    constexpr int corners = 1 << 8 | 1 << 6 | 1 << 2 | 1 << 0;
    add_lookup(model.cascade, {MctPlane::coarse4, 6, 6, false, 0},
               [](int code) { return (code & middle) != 0 && (code & corners) == 0 ? -10 : 10; });
    add_lookup(model.cascade, {MctPlane::pixel, 1, 1, false, 20},
               [](int code) { return code == 0 ? -5 : 7; });
    return model;
}

}  // namespace fovea::test
