#include "lib/run/people/number_people.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace fovea {
namespace {

struct Group {
    std::vector<std::size_t> faces;
    std::map<int, std::size_t> before;  ///< its faces by the person that they were
    int person = 0;
};

std::vector<Group> groups_of(std::span<const std::uint32_t> groups, std::span<const int> earlier) {
    std::vector<Group> found;
    for (std::size_t face = 0; face < groups.size(); ++face) {
        if (groups[face] == no_group) continue;
        if (groups[face] >= found.size()) found.resize(std::size_t{groups[face]} + 1);
        Group& group = found[groups[face]];
        group.faces.push_back(face);
        if (earlier[face] > 0) ++group.before[earlier[face]];
    }
    return found;
}

/// The trusted person with the most faces in a group; 0 if there is none.
int trusted_person(const Group& group, const std::set<int>& trusted) {
    int best = 0;
    for (const auto& [person, count] : group.before) {
        if (trusted.contains(person) && (best == 0 || count > group.before.at(best))) best = person;
    }
    return best;
}

/// Pairs groups with people with whom they share faces, those that share the most first. Each group and each
/// person is in one pair.
void keep_numbers(std::vector<Group>& groups, const std::set<int>& trusted) {
    std::vector<std::tuple<std::size_t, int, std::size_t>> shared;  // faces, person, group
    for (std::size_t g = 0; g < groups.size(); ++g) {
        if (groups[g].person > 0) continue;
        for (const auto& [person, count] : groups[g].before) shared.emplace_back(count, person, g);
    }
    std::sort(shared.begin(), shared.end(), [](const auto& a, const auto& b) {
        return std::get<0>(a) != std::get<0>(b)
                   ? std::get<0>(a) > std::get<0>(b)
                   : std::tie(std::get<1>(a), std::get<2>(a)) < std::tie(std::get<1>(b), std::get<2>(b));
    });
    std::set<int> taken = trusted;
    for (const auto& [count, person, g] : shared) {
        if (groups[g].person > 0 || taken.contains(person)) continue;
        groups[g].person = person;
        taken.insert(person);
    }
}

void give_new_numbers(std::vector<Group>& groups, int& last) {
    std::vector<std::size_t> order;
    for (std::size_t g = 0; g < groups.size(); ++g) {
        if (groups[g].person == 0 && !groups[g].faces.empty()) order.push_back(g);
    }
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return groups[a].faces.size() > groups[b].faces.size();
    });
    for (const std::size_t g : order) groups[g].person = ++last;
}

}  // namespace

std::vector<int> number_people(std::span<const std::uint32_t> groups, std::span<const int> earlier,
                               const std::set<int>& trusted, int& last) {
    std::vector<Group> found = groups_of(groups, earlier);
    for (Group& group : found) group.person = trusted_person(group, trusted);
    keep_numbers(found, trusted);
    give_new_numbers(found, last);
    std::vector<int> people(groups.size(), 0);
    for (const Group& group : found) {
        for (const std::size_t face : group.faces)
            people[face] = trusted.contains(earlier[face]) ? earlier[face] : group.person;
    }
    return people;
}

}  // namespace fovea
