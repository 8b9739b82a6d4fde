#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/windows/levels.hpp"
#include "kernels/windows/window_trace.hpp"

namespace fovea {

/// The decisions on the windows of one scale, added up over images.
struct RejectionLevel {
    double scale = 1;                    ///< original pixels per level pixel
    Size box;                            ///< the window in original pixels
    std::int64_t windows = 0;            ///< places on the level's grid
    std::int64_t visited = 0;            ///< of these, not skipped after a rejection by the first stage
    std::int64_t flat = 0;               ///< of the visited, not evaluated: too little contrast (Haar)
    std::vector<std::int64_t> rejected;  ///< of the visited, by the stage that rejected them
    std::int64_t passed = 0;             ///< of the visited, by no stage
    std::int64_t weak_classifiers = 0;   ///< trees or look-ups evaluated, in all windows together

    /// A count as a share of the visited windows; 0 if there are none.
    double share(std::int64_t count) const;
    /// Weak classifiers evaluated in a visited window, on average; flat windows count with none.
    double weak_classifiers_per_window() const;
};

/// Rejections by scale and stage (Oro et al. 2012, figure 7).
class RejectionTable {
  public:
    /// Adds the windows of one image. Levels of equal scale are joined over images. \param weak_classifiers
    /// of each stage.
    /// \throws std::invalid_argument if the trace does not fit these levels and stages.
    void add(std::span<const int> weak_classifiers, std::span<const PyramidLevel> levels,
             const WindowTrace& trace);

    const std::vector<RejectionLevel>& levels() const { return levels_; }  ///< by rising scale
    RejectionLevel total() const;  ///< of all scales; its scale and box have no meaning

  private:
    RejectionLevel& level_of_scale(const PyramidLevel& level, std::size_t stages);

    std::vector<RejectionLevel> levels_;
};

}  // namespace fovea
