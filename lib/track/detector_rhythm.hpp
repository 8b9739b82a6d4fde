#pragma once

#include <cstddef>

#include "kernels/core/view.hpp"

namespace fovea {

/// Tells in which frames of a sequence a detector runs: in each frame whose number is a multiple of
/// `redetect`, or the next readable one; and in each whose size differs from the frame that the detector saw
/// last, because nothing is followed into another size.
class DetectorRhythm {
  public:
    /// \param redetect at least 1.
    explicit DetectorRhythm(int redetect) : redetect_(static_cast<std::size_t>(redetect)) {}

    /// True if the detector runs in the next frame. \param size of that frame; 0 × 0: it cannot be read.
    bool runs_in_next(Size size) {
        if (frames_++ % redetect_ == 0) is_due_ = true;
        const bool is_readable = size.width > 0 && size.height > 0;
        if (!is_readable || (!is_due_ && size == seen_)) return false;
        is_due_ = false;
        seen_ = size;
        return true;
    }

  private:
    std::size_t redetect_;
    std::size_t frames_ = 0;
    bool is_due_ = false;  // the next readable frame is one for the detector
    Size seen_;            // of the last frame that the detector saw
};

}  // namespace fovea
