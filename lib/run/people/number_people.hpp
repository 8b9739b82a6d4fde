#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <vector>

namespace fovea {

/// Stands for a face that is in no group.
inline constexpr std::uint32_t no_group = ~std::uint32_t{0};

/// Gives groups of faces the numbers that their people had before, so that numbers and names last while an
/// archive grows.
///
/// A person whom a user has named is trusted: the faces that had this number keep it, in whatever groups they
/// are now, and the other faces of such a group join them. Between two trusted people, a face without an
/// earlier number goes to the one with more faces in its group. Every other group gets the number of the
/// earlier person with whom it shares the most faces, unless another group shares more; then a new one, the
/// largest group first.
///
/// \param groups for each face the number of its group, or no_group. \param earlier for each face the person
/// that it was before, from 1, or 0. \param trusted people whom a user has named. \param last the largest
/// number that was ever given; is raised by new people.
/// \return for each face its person, from 1, or 0 for those in no group.
std::vector<int> number_people(std::span<const std::uint32_t> groups, std::span<const int> earlier,
                               const std::set<int>& trusted, int& last);

}  // namespace fovea
