#pragma once

#include <cstdint>

namespace fovea {

/// A gallery vector near a query.
struct Neighbour {
    double distance = 0;      ///< as the gallery's metric defines it
    std::uint32_t index = 0;  ///< in the gallery, in the order of adding

    friend bool operator==(const Neighbour&, const Neighbour&) = default;
};

}  // namespace fovea
