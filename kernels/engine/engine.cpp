#include "kernels/engine/engine.hpp"

#include <algorithm>
#include <stdexcept>

namespace fovea {

std::string CascadeEngine::device_name() const {
    std::string name;
    for (const int gpu : gpus()) name += (name.empty() ? "cuda:" : ",") + std::to_string(gpu);
    return name.empty() ? "cpu" : name;
}

void CascadeEngine::check_can_read(const ImageBatch& images) const {
    if (!images.is_on_gpu()) return;
    const std::vector<int> here = gpus();
    if (std::find(here.begin(), here.end(), images.gpu) != here.end()) return;
    throw std::logic_error(
        "the engine on " + device_name() +
        " does not detect in images that lie in the memory of cuda:" + std::to_string(images.gpu));
}

}  // namespace fovea
