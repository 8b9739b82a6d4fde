#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/engine/engine.hpp"
#include "lib/core/job_hooks.hpp"
#include "lib/core/types.hpp"
#include "lib/image/formats/image.hpp"

namespace fovea {

/// An image to take negatives from.
struct BackgroundImage {
    std::string name;
    GreyImage image;
    std::vector<Box> objects;  ///< windows that overlap one too much are not taken
};

/// Whether the IoU of a window and an annotated object is above `max_iou`. \param window its corner in
/// level pixels.
bool is_on_object(const BackgroundImage& image, const PyramidLevel& level, const CascadeWindow& window,
                  double max_iou);

struct WindowMiningSettings {
    std::size_t count = 0;        ///< windows wanted
    double scale_factor = 1.1;    ///< of neighbouring window sizes
    double max_object_iou = 0.2;  ///< with an annotated object
    /// The largest share of the wanted windows from one image, as long as others have enough; at least
    /// 4 windows.
    double max_image_share = 0.02;
    std::uint64_t seed = 1;
};

struct MinedWindows {
    std::vector<std::uint8_t> pixels;  ///< [window][y][x]
    std::size_t count = 0;
    std::size_t images_searched = 0;
    std::uint64_t windows_searched = 0;
    std::uint64_t windows_passed = 0;
    /// All images were searched: no more windows pass.
    bool ran_dry = false;

    double pass_rate() const {
        return windows_searched > 0
                   ? static_cast<double>(windows_passed) / static_cast<double>(windows_searched)
                   : 0;
    }
};

/// Finds windows that a cascade takes for the object, at every scale of the images (bootstrapping; Sung and
/// Poggio 1998). Images are searched in a random order until there are twice as many windows as wanted, and
/// the wanted number is drawn from them. The windows depend on the seed, not on threads or devices.
/// \param engine of a Haar or LBP cascade; null: there is no cascade yet, and windows are drawn from all
/// windows, none twice. \param window of the cascade.
/// \param needs_contrast the cascade has Haar features and skips flat windows. \param progress is told the
/// number of windows found; may throw to stop. \throws what the engine throws.
MinedWindows mine_windows(CascadeEngine* engine, Size window, bool needs_contrast,
                          const std::vector<BackgroundImage>& images, const WindowMiningSettings& settings,
                          const CountProgress& progress = {});

}  // namespace fovea
