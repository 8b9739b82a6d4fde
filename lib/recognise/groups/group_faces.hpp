#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/core/device.hpp"
#include "kernels/vector_search/vector_distance_body.hpp"

namespace fovea {

struct GroupingOptions {
    /// Two lone faces are joined up to this distance, as the recogniser measures it; above 0.
    double distance = 0;
    /// The neighbours of each face that are looked at; at least 1.
    std::size_t neighbours = 50;
};

/// Groups faces by person; nobody says how many people there are.
///
/// Groups are joined two at a time, the most alike first. Let n and m be the faces of two groups, a and b the
/// means of their vectors, h = nm / (n + m), and t the distance of the options. They are joined if Ward's
/// distance, the growth of the sum of squares h |a - b|², is at most t² / 2 · (1 + 3/4 ln(2h)): up to t for
/// lone faces, and more strictly for the means of large groups, which are more certain. Sources: J. H. Ward,
/// "Hierarchical grouping to optimize an objective function", JASA 58, 1963; the logarithm is that of the
/// Bayesian information criterion, as S. Chen and P. Gopalakrishnan use it to group speakers (DARPA Broadcast
/// News Workshop, 1998), at three quarters of its weight, which did best on LFW.
///
/// Only groups are compared that have a pair of neighbours within 1.4 t: `neighbours` exact ones of each
/// face. A pair is judged anew when it comes to its turn and one of its groups has grown. Vectors that a
/// cosine distance compares are scaled to length 1; t² is twice the cosine distance then.
///
/// \param vectors [count][length], 16-bit components in units of 1/32767. \param device finds the neighbours;
/// the result is equal on every device. Memory: the neighbours (16 bytes each), 24 bytes a pair of these, and
/// 8 bytes a component of the groups' vectors.
/// \return for each face the number of its group, from 0 in the order of their first faces.
/// \throws std::invalid_argument for options out of range, or as VectorGallery; DeviceError; std::bad_alloc.
std::vector<std::uint32_t> group_faces(const Device& device, std::span<const std::int16_t> vectors,
                                       std::size_t length, VectorDistance distance,
                                       const GroupingOptions& options);

}  // namespace fovea
