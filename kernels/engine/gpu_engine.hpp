#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "kernels/core/view.hpp"
#include "kernels/engine/engine.hpp"
#include "kernels/engine/gpu_cascade.hpp"
#include "kernels/windows/levels.hpp"

namespace fovea::cuda_backend {

/// A kind of cascade, as an engine on GPUs needs it.
struct GpuCascadeKind {
    /// The levels that are scanned in an image of a size.
    std::function<std::vector<PyramidLevel>(Size image, const ScanParameters& parameters)> levels;
    /// The cascade on a GPU, by its index. Errors as make_cuda_engine.
    std::function<std::unique_ptr<GpuCascade>(int gpu)> make_cascade;
    /// An image alone is shared by several GPUs if it has at least this many windows: below, another GPU
    /// costs more than it brings.
    std::int64_t min_windows_shared = 0;
};

/// The engine of a cascade on GPUs. Parameters and errors as make_cuda_engine; only in builds with CUDA.
std::unique_ptr<CascadeEngine> make_gpu_engine(const GpuCascadeKind& kind, std::span<const int> gpus,
                                               const EngineOptions& options);

}  // namespace fovea::cuda_backend
