#include "kernels/core/device.hpp"
#include "kernels/mct/mct_engine.hpp"

namespace fovea {

std::unique_ptr<CascadeEngine> make_cuda_engine(const MctCascade&, std::span<const int>,
                                                const EngineOptions&) {
    throw DeviceError(
        "cannot detect on a GPU: this program was built without CUDA; build it where nvcc is installed");
}

}  // namespace fovea
