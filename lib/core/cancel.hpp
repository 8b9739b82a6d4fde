#pragma once

#include <atomic>

namespace fovea {

/// True once the work is to end. \param cancel becomes true when somebody asks for that; null = never.
inline bool is_cancelled(const std::atomic<bool>* cancel) {
    return cancel != nullptr && cancel->load();
}

}  // namespace fovea
