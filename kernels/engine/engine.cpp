#include "kernels/engine/engine.hpp"

#include <stdexcept>

namespace fovea {

void CascadeEngine::check_can_read(const ImageBatch& images) const {
    if (!images.is_on_gpu() || gpus() == std::vector{images.gpu}) return;
    throw std::logic_error("the engine on " + device_name() +
                           " does not detect in images that lie in a GPU's memory; one on one GPU does");
}

}  // namespace fovea
