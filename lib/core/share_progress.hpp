#pragma once

#include <functional>

namespace fovea {

/// Is told how much of a piece of work is done: 0 to 1, never less than before. It is called by one thread at
/// a time. Empty: nobody asks.
using ShareProgress = std::function<void(double)>;

/// The progress of a part of the work, which goes from `from` to `to` of the whole.
inline ShareProgress part_of_progress(const ShareProgress& whole, double from, double to) {
    if (!whole) return {};
    return [whole, from, to](double share) { whole(from + (to - from) * share); };
}

}  // namespace fovea
