#pragma once

namespace fovea {

/// A window that passed every stage; (x, y) is its top left corner in level pixels.
struct CascadeWindow {
    int level = 0;  ///< index into the levels that were scanned
    int x = 0;
    int y = 0;
    double last_sum = 0;  ///< sum of the last stage's leaves

    friend bool operator==(const CascadeWindow&, const CascadeWindow&) = default;
};

/// The order in which windows are listed: rising level, y, x.
inline bool comes_before(const CascadeWindow& a, const CascadeWindow& b) {
    if (a.level != b.level) return a.level < b.level;
    return a.y != b.y ? a.y < b.y : a.x < b.x;
}

}  // namespace fovea
