#pragma once

#include <optional>
#include <span>
#include <vector>

#include "lib/core/types.hpp"

namespace fovea {

/// A similarity of the plane: a point p becomes to + [cosine -sine; sine cosine] (p - from). `cosine` and
/// `sine` are the cosine and sine of the turn, times the scale.
struct Similarity {
    Point from;  ///< mean of the first points
    Point to;    ///< mean of the second points
    double cosine = 1;
    double sine = 0;

    double scale() const;
    Point operator()(const Point& point) const;
};

/// The similarity that takes `first` nearest to `second`, by the least sum of squared distances.
/// Source: S. Umeyama, "Least-squares estimation of transformation parameters between two point patterns",
/// PAMI 13, 1991, equations 40 to 42; in the plane the rotation follows from two sums, without an SVD.
/// \param second parallel to `first`. \return nothing if the first points are all at one place, or there
/// are none.
std::optional<Similarity> fit_similarity(std::span<const Point> first, std::span<const Point> second);

/// A similarity, and the points that agree with it.
struct VotedSimilarity {
    Similarity similarity;
    std::size_t votes = 0;  ///< points that the similarity was fitted to
};

/// Fits a similarity twice: first to all points, then to the points whose distance from it is at most the
/// larger of `max_ratio` times the median distance and `min_distance` pixels. \return nothing where
/// fit_similarity() finds nothing.
std::optional<VotedSimilarity> fit_voted_similarity(std::span<const Point> first,
                                                    std::span<const Point> second, double max_ratio,
                                                    double min_distance);

/// A box moved and scaled as the similarity says, but not turned.
/// Source: C. Helf, "Real-Time Facial Feature Detection on Mobile Graphics Processing Units", Universität
/// Wien, 2018, section 3.4.
Box moved_box(const Box& box, const Similarity& similarity);

}  // namespace fovea
