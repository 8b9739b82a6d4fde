#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace fovea {

class FieldVisitor;

/// A distance below which two faces are taken for one person.
struct FarThreshold {
    /// The false accept rate: at most this share of pairs of two people is accepted; (0, 1).
    double far = 0;
    double distance = 0;  ///< pairs are accepted at this distance and below
    double tar = 0;       ///< the share of pairs of one person that is accepted; [0, 1]
};

/// Thresholds of a recogniser, as `fovea train thresholds` measures them.
struct FarThresholds {
    std::vector<FarThreshold> points;  ///< by falling rate
    std::size_t impostor_pairs = 0;    ///< pairs of two people that were measured
    std::size_t genuine_pairs = 0;     ///< pairs of one person
    std::string origin;                ///< for people: the data

    bool empty() const { return points.empty(); }
};

/// A threshold is measured only where at least so many pairs of two people are accepted at it.
constexpr std::size_t min_accepted_impostors = 10;

/// The rates at which thresholds are measured: 1, 2 and 5 times the powers of ten from 0.1 to 0.0000001.
extern const std::vector<double> threshold_rates;  // falling

/// For each rate that the impostor pairs can show, the largest distance at which the share of accepted
/// impostor pairs does not exceed the rate. \param impostors, genuine distances of pairs of two people and of
/// one, in any order. \throws Error with too few impostor pairs for any rate.
FarThresholds far_thresholds(std::vector<double> impostors, std::vector<double> genuine, std::string origin);

/// The threshold with the largest rate that is not above `far`; none if all are above it.
std::optional<FarThreshold> threshold_at_far(const FarThresholds& thresholds, double far);

/// The distance at a false accept rate that may lie between two measured ones: linear in the logarithm of the
/// rate. Beyond the measured rates it is the distance of the last one. \param thresholds not empty.
double distance_at_far(const FarThresholds& thresholds, double far);

/// The false accept rate that a pair may have so that a stranger, compared with `faces` faces, is
/// accepted with a probability of at most `search_far`: 1 - (1 - search_far)^(1/faces). Comparisons are
/// taken to be independent.
/// \param search_far in (0, 1). \param faces at least 1.
double pair_far(double search_far, std::size_t faces);

/// The reverse: 1 - (1 - pair_far)^faces.
double search_far(double pair_far, std::size_t faces);

/// Thresholds as a recogniser's file has them: {"origin", "impostor_pairs", "genuine_pairs", "points":
/// [{"far", "distance", "tar"}]}, the points' rates falling.
void describe(FieldVisitor& visitor, FarThresholds& thresholds);

}  // namespace fovea
