#pragma once

#include <memory>
#include <span>

#include "kernels/engine/engine.hpp"
#include "kernels/mct/mct_cascade.hpp"

namespace fovea {

/// Makes an engine for an MCT cascade on the CPU; it works on the threads of the calling thread's TBB arena.
/// \param cascade must outlive the engine.
std::unique_ptr<CascadeEngine> make_cpu_engine(const MctCascade& cascade);

/// Makes an engine for an MCT cascade on GPUs.
/// \param cascade must outlive the engine. \param gpus at least one index. Several GPUs share the images of a
/// batch, or the levels of a single large image (Tek 2012), by their numbers of windows.
/// \throws DeviceError if a GPU is not there or the program was built without CUDA; std::invalid_argument if
/// `gpus` is empty or the cascade cannot run on a GPU.
std::unique_ptr<CascadeEngine> make_cuda_engine(const MctCascade& cascade, std::span<const int> gpus,
                                                const EngineOptions& variant = {});

}  // namespace fovea
