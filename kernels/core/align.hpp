#pragma once

#include <cstddef>

namespace fovea {

/// The smallest multiple of `to` that is not below `bytes`. \param to at least 1; by default what suffices
/// for every type and every copy on a GPU.
constexpr std::size_t align_up(std::size_t bytes, std::size_t to = 256) {
    return (bytes + to - 1) / to * to;
}

}  // namespace fovea
