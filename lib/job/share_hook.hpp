#pragma once

#include <cmath>
#include <cstddef>

#include "lib/core/share_progress.hpp"
#include "lib/job/detection_job.hpp"

namespace fovea {

/// Makes a function that tells the progress hook how much of a stage is done, as a share without a unit. The
/// stage is one of `parts` stages of equal length, counted from 0. The hooks must outlive the function.
inline ShareProgress share_hook(const RunHooks& hooks, std::size_t part, std::size_t parts) {
    if (!hooks.progress) return {};
    return [&hooks, part, parts](double share) {
        constexpr std::size_t steps = 1000;
        DetectProgress progress;
        progress.done = static_cast<std::size_t>(
            std::floor(steps * (static_cast<double>(part) + share) / static_cast<double>(parts)));
        progress.total = steps;
        progress.unit.clear();
        hooks.progress(progress);
    };
}

}  // namespace fovea
