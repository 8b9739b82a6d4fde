#include "tests/lab/optimisations.hpp"

#include <array>
#include <stdexcept>

namespace fovea {
namespace {

struct Optimisation {
    const char* name;
    bool EngineOptions::*member;
};

constexpr std::array optimisations{
    Optimisation{"compaction", &EngineOptions::compaction},
    Optimisation{"bank-queues", &EngineOptions::bank_queues},
    Optimisation{"warp-windows", &EngineOptions::warp_windows},
    Optimisation{"merged-corners", &EngineOptions::merged_corners},
    Optimisation{"staged-stumps", &EngineOptions::staged_stumps},
    Optimisation{"window-sets", &EngineOptions::window_sets},
    Optimisation{"shared-integral", &EngineOptions::shared_integral},
    Optimisation{"graphs", &EngineOptions::graphs},
    Optimisation{"pinned", &EngineOptions::pinned},
    Optimisation{"streams", &EngineOptions::streams},
};

}  // namespace

std::vector<std::string> engine_optimisations() {
    std::vector<std::string> names;
    for (const Optimisation& optimisation : optimisations) names.emplace_back(optimisation.name);
    return names;
}

EngineOptions without_optimisation(EngineOptions variant, const std::string& name) {
    for (const Optimisation& optimisation : optimisations) {
        if (name != optimisation.name) continue;
        variant.*optimisation.member = false;
        return variant;
    }
    throw std::invalid_argument("there is no optimisation '" + name + "'");
}

}  // namespace fovea
