#pragma once

#include <string_view>

namespace fovea {

/// Compares two names the way people number files: runs of digits by their value (img2 < img10), everything
/// else byte by byte, with '/' before any other character, so that a folder's contents stay together.
/// Names that differ in leading zeros only are ordered by their bytes: the order is total.
/// \return negative, zero (the names are the same bytes) or positive.
int natural_compare(std::string_view a, std::string_view b);

/// natural_compare() without the order of names that differ in leading zeros only: 0 for these, too. What
/// stands behind such a beginning decides first, as of a01/y and a1/x.
int natural_compare_values(std::string_view a, std::string_view b);

/// natural_compare() as a strict order for sorting and for ordered containers.
struct NaturalLess {
    using is_transparent = void;
    bool operator()(std::string_view a, std::string_view b) const { return natural_compare(a, b) < 0; }
};

}  // namespace fovea
