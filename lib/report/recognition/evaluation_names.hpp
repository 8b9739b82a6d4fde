#pragma once

#include <string>
#include <vector>

namespace fovea::report {

/// The names of evaluations, in their order.
template <class Evaluations>
std::vector<std::string> evaluation_names(const Evaluations& evaluations) {
    std::vector<std::string> names;
    for (const auto& evaluation : evaluations) names.push_back(evaluation.name);
    return names;
}

}  // namespace fovea::report
