#include "kernels/engine/engine.hpp"

#include <array>
#include <stdexcept>

namespace fovea {
namespace {

struct Optimisation {
    const char* name;
    bool EngineVariant::*member;
};

constexpr std::array optimisations{
    Optimisation{"compaction", &EngineVariant::compaction},
    Optimisation{"bank-queues", &EngineVariant::bank_queues},
    Optimisation{"warp-windows", &EngineVariant::warp_windows},
    Optimisation{"merged-corners", &EngineVariant::merged_corners},
    Optimisation{"staged-stumps", &EngineVariant::staged_stumps},
    Optimisation{"window-sets", &EngineVariant::window_sets},
    Optimisation{"shared-integral", &EngineVariant::shared_integral},
    Optimisation{"graphs", &EngineVariant::graphs},
    Optimisation{"pinned", &EngineVariant::pinned},
    Optimisation{"streams", &EngineVariant::streams},
};

}  // namespace

std::vector<std::string> engine_optimisations() {
    std::vector<std::string> names;
    for (const Optimisation& optimisation : optimisations) names.emplace_back(optimisation.name);
    return names;
}

EngineVariant without_optimisation(EngineVariant variant, const std::string& name) {
    for (const Optimisation& optimisation : optimisations) {
        if (name != optimisation.name) continue;
        variant.*optimisation.member = false;
        return variant;
    }
    throw std::invalid_argument("there is no optimisation '" + name + "'");
}

void CascadeEngine::check_can_read(const ImageBatch& images) const {
    if (!images.is_on_gpu() || gpus() == std::vector{images.gpu}) return;
    throw std::logic_error("the engine on " + device_name() +
                           " does not detect in images that lie in a GPU's memory; one on one GPU does");
}

}  // namespace fovea
