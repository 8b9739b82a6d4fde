#pragma once

#include <array>
#include <limits>
#include <optional>

#include "lib/core/types.hpp"

namespace fovea {

/// A number that few detections have: a whole one or a real one.
struct DetailNumber {
    /// The name of its member in results.jsonl, and of its column in tables.
    const char* name;
    std::optional<int> DetectionDetails::*whole = nullptr;
    std::optional<double> DetectionDetails::*real = nullptr;
    /// The least value of a whole number.
    int least = std::numeric_limits<int>::min();

    std::optional<double> of(const DetectionDetails& details) const {
        if (whole == nullptr) return details.*real;
        return details.*whole ? std::optional<double>(*(details.*whole)) : std::nullopt;
    }
};

/// The numbers that stand side by side in results.jsonl and in tables, in this order.
inline constexpr std::array detail_numbers{
    DetailNumber{.name = "track", .whole = &DetectionDetails::track, .least = 0},
    DetailNumber{.name = "followed", .whole = &DetectionDetails::followed, .least = 1},
    DetailNumber{.name = "neighbors", .whole = &DetectionDetails::neighbors, .least = 0},
    DetailNumber{.name = "stage", .whole = &DetectionDetails::stage},
    DetailNumber{.name = "stage_sum", .real = &DetectionDetails::stage_sum},
    DetailNumber{.name = "yaw", .real = &DetectionDetails::yaw},
    DetailNumber{.name = "sharpness", .real = &DetectionDetails::sharpness},
};

}  // namespace fovea
