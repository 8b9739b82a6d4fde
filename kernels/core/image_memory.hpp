#pragma once

namespace fovea {

/// The memory of a call's images: the host's, or the memory of the GPU that works on them.
enum class ImageMemory { host, device };

}  // namespace fovea
