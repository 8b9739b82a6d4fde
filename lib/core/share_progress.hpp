#pragma once

#include <functional>

namespace fovea {

/// Is told which share of a piece of work is done: 0 to 1, never less than before. One thread at a time calls
/// it. Empty: nobody listens.
using ShareProgress = std::function<void(double)>;

/// The progress of a part of the work, whose 0 to 1 are `from` to `to` of the whole.
inline ShareProgress part_of_progress(const ShareProgress& whole, double from, double to) {
    if (!whole) return {};
    return [whole, from, to](double share) { whole(from + (to - from) * share); };
}

}  // namespace fovea
