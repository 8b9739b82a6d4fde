#include "kernels/core/device.hpp"
#include "kernels/haar_lbp/haar_lbp_engine.hpp"

namespace fovea {

std::unique_ptr<CascadeEngine> make_cuda_engine(const Cascade&, std::span<const int>, const EngineOptions&) {
    throw DeviceError(
        "cannot detect on a GPU: this program was built without CUDA; build it where nvcc is installed");
}

}  // namespace fovea
