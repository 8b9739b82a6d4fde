#pragma once

namespace fovea {

/// Where the images of a call lie: in host memory, or in the memory of the GPU that works on them.
enum class ImageMemory { host, device };

}  // namespace fovea
