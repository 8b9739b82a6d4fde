#pragma once

#include "kernels/core/view.hpp"

namespace fovea {

/// The effect of an EXIF orientation on an image: whether it is transposed, and whether the stored image is
/// read from its last column or row on.
struct OrientRule {
    bool transposed = false;
    bool last_column_first = false;
    bool last_row_first = false;

    friend bool operator==(const OrientRule&, const OrientRule&) = default;
};

/// \param orientation 1 to 8: see lib/image/formats/orientation.hpp.
FOVEA_HOST_DEVICE constexpr OrientRule orient_rule(int orientation) {
    return {orientation >= 5, orientation == 2 || orientation == 3 || orientation >= 7,
            orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7};
}

FOVEA_HOST_DEVICE constexpr Size displayed_size(const OrientRule& rule, Size stored) {
    return rule.transposed ? Size{stored.height, stored.width} : stored;
}

struct StoredPlace {
    int x;
    int y;
};

/// The place at which the displayed image's pixel (x, y) is stored.
FOVEA_HOST_DEVICE constexpr StoredPlace stored_place(const OrientRule& rule, Size stored, int x, int y) {
    const int column = rule.transposed ? y : x;
    const int row = rule.transposed ? x : y;
    return {rule.last_column_first ? stored.width - 1 - column : column,
            rule.last_row_first ? stored.height - 1 - row : row};
}

}  // namespace fovea
