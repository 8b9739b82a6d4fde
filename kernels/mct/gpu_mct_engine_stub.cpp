// The stand-in of a build without CUDA.

#include "kernels/core/gpu_device.hpp"
#include "kernels/mct/mct_engine.hpp"

namespace fovea {

std::unique_ptr<CascadeEngine> make_cuda_engine(const MctCascade&, std::span<const int>,
                                                const EngineOptions&) {
    throw cuda_backend::built_without_cuda("cannot detect on a GPU");
}

}  // namespace fovea
