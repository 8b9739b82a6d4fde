#pragma once

#include <cstddef>

namespace fovea {

/// Rounds `bytes` up to a multiple of `to`.
/// \param to at least 1; the default suffices for every type and every copy on a GPU.
constexpr std::size_t align_up(std::size_t bytes, std::size_t to = 256) {
    return (bytes + to - 1) / to * to;
}

}  // namespace fovea
