#pragma once

#include <string>
#include <vector>

#include "kernels/engine/engine.hpp"

namespace fovea {

/// Names of the members of EngineOptions, as the command line has them ("compaction", "bank-queues", ...).
std::vector<std::string> engine_optimisations();

/// The variant with one optimisation turned off. \throws std::invalid_argument if there is no such name.
EngineOptions without_optimisation(EngineOptions variant, const std::string& name);

}  // namespace fovea
