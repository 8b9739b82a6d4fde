#pragma once

#include <cstddef>
#include <memory>

#include "kernels/net_training/net_trainer.hpp"

namespace fovea {

/// Trains on the CPU, by FloatNet. \param crops of a batch, at least 1
std::unique_ptr<NetTrainer> make_cpu_net_trainer(const NetPlan& plan, std::size_t crops);

}  // namespace fovea
