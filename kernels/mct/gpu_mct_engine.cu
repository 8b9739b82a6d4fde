#include "kernels/engine/gpu_engine.hpp"
#include "kernels/mct/gpu_mct_program.hpp"
#include "kernels/mct/mct_engine.hpp"
#include "kernels/mct/pyramid.hpp"

namespace fovea {

std::unique_ptr<CascadeEngine> make_cuda_engine(const MctCascade& cascade, std::span<const int> gpus,
                                                const EngineOptions& variant) {
    // An MCT cascade's windows take about an eighth of the time of a Haar cascade's.
    constexpr std::int64_t min_windows_shared = 64'000'000;
    cuda_backend::GpuCascadeKind kind;
    kind.levels = mct_levels;
    kind.make_cascade = [&cascade](int gpu) { return cuda_backend::make_mct_model(cascade, gpu); };
    kind.min_windows_shared = min_windows_shared;
    return cuda_backend::make_gpu_engine(kind, gpus, variant);
}

}  // namespace fovea
