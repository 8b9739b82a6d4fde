#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "kernels/core/view.hpp"
#include "kernels/engine/engine.hpp"
#include "kernels/engine/scan_program.hpp"
#include "kernels/windows/levels.hpp"

namespace fovea::cuda_backend {

/// What the engine must know of a kind of cascade.
struct GpuCascadeKind {
    /// The levels that are scanned in an image of a size.
    std::function<std::vector<PyramidLevel>(Size image, const ScanParameters& parameters)> levels;
    /// The cascade on a GPU, by its index. Errors as make_cuda_engine.
    std::function<std::unique_ptr<ScanModel>(int gpu)> make_cascade;
    /// An image alone is shared by several GPUs if it has at least this many windows: below, another GPU costs more than
    /// it brings.
    std::int64_t min_windows_shared = 0;
};

/// The engine of a cascade on GPUs. Parameters and errors as make_cuda_engine; only in builds with CUDA.
std::unique_ptr<CascadeEngine> make_gpu_engine(GpuCascadeKind kind, std::span<const int> gpus,
                                               const EngineVariant& variant);

}  // namespace fovea::cuda_backend
