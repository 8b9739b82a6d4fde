#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "kernels/core/view.hpp"
#include "lib/core/job_hooks.hpp"
#include "lib/dataset/dataset.hpp"
#include "lib/image/formats/decode.hpp"
#include "lib/image/formats/image.hpp"
#include "lib/results/tally.hpp"
#include "lib/train/counter_random.hpp"
#include "lib/train/samples/window_plane.hpp"

namespace fovea {

struct BackgroundReading {
    std::size_t max_images = 1000;  ///< the most images, picked evenly; at least 1
    int max_side = 640;             ///< pixels; larger images are reduced by whole factors; at least 1
    int threads = 0;                ///< that decode; 0 = all cores
    DecodeOptions decode{};
};

/// Images whose pieces are pasted behind objects.
struct SampleBackgrounds {
    std::vector<GreyImage> images;
    std::vector<UnreadableImage> unreadable;
};

/// Reads backgrounds, in the dataset's order. \param progress called with the images done and all of them;
/// may throw to stop. \throws Error if none can be read.
SampleBackgrounds read_backgrounds(const Dataset& dataset, const BackgroundReading& reading = {},
                                   const CountProgress& progress = {});

/// A random piece of a random image as a window. Its size is from the window's own size to the largest that
/// fits, small sizes more often (the size grows with the square of a uniform number). Images that are smaller
/// than the window are enlarged. \param images at least one, none empty.
WindowPlane random_piece(std::span<const GreyImage> images, Size window, CounterRandom& random);

/// The image at 1 / factor of its size, rounded down but not below 1×1: means over blocks, rounded half up.
GreyImage reduced(const GreyImage& image, int factor);

}  // namespace fovea
