#pragma once

#include <memory>
#include <span>

#include "kernels/engine/engine.hpp"
#include "kernels/haar_lbp/cascade.hpp"

namespace fovea {

/// An engine for a Haar or LBP cascade on the CPU. Threads are those of the calling thread's TBB arena.
/// \param cascade must outlive the engine.
std::unique_ptr<CascadeEngine> make_cpu_engine(const Cascade& cascade);

/// An engine for a Haar or LBP cascade on GPUs.
/// \param cascade must outlive the engine.
/// \param gpus at least one index. Several share the images of a batch, and the levels of one large image
/// alone (Tek 2012) by their numbers of windows.
/// \throws DeviceError if a GPU is not there or the program was built without CUDA; std::invalid_argument if
/// the cascade cannot run on a GPU.
std::unique_ptr<CascadeEngine> make_cuda_engine(const Cascade& cascade, std::span<const int> gpus,
                                                const EngineOptions& variant = {});

}  // namespace fovea
