#pragma once

#include <string>

#include <spdlog/fmt/fmt.h>

namespace fovea {

/// A share as percent: 0.861 with two decimals is "86.10 %".
inline std::string percent(double share, int decimals) {
    return fmt::format("{:.{}f} %", 100 * share, decimals);
}

}  // namespace fovea
