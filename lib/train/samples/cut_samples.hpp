#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "lib/core/job_hooks.hpp"
#include "lib/dataset/dataset.hpp"
#include "lib/image/formats/decode.hpp"
#include "lib/results/tally.hpp"
#include "lib/train/samples/augment.hpp"
#include "lib/train/samples/window_plane.hpp"
#include "lib/train/samples/window_samples.hpp"

namespace fovea {

struct CutOptions {
    Size window{24, 24};
    /// Added to a box on each side, as a share of its width and height; below 0 it is cut tighter. -0.4 to 5.
    /// Images that are samples as a whole have none.
    double margin = 0;
    /// True: width and height are scaled each for itself, as opencv_createsamples does. False: the box is
    /// widened about its centre to the shape of the window.
    bool distorted = false;
    double min_box = 0;  ///< boxes whose width or height is less, pixels, are left out; >= 0
    Resampling resampling = Resampling::area;
    bool mirrored = false;  ///< each sample is followed by its mirror image
    bool plain = true;      ///< each box gives a sample as it is
    int copies = 0;         ///< augmented copies of each box, which follow it; 0 to 10,000
    AugmentOptions augment{};
    std::uint64_t seed = 1;  ///< of the augmentation
    int threads = 0;         ///< 0 = all cores
    DecodeOptions decode{};
};

/// Samples cut out of a dataset, and what was left out.
struct CutResult {
    WindowSamples samples;                    ///< by image, box, copy
    std::size_t images = 0;                   ///< that were read
    std::size_t objects = 0;                  ///< boxes, or whole images, that became samples
    std::size_t ignored = 0;                  ///< boxes marked ignore, in images that were read
    std::size_t too_small = 0;                ///< boxes below CutOptions::min_box
    std::size_t unusable = 0;                 ///< boxes without extent, or that do not touch their image
    std::vector<UnreadableImage> unreadable;  ///< in dataset order
};

/// The region that becomes the window: a box with its margin, widened to the shape of the window about its
/// centre unless it is distorted.
Box sample_region(const Box& box, Size window, double margin, bool distorted);

/// The name of the source of an image: its name in the dataset; for a frame the name of its video, because
/// the frames of a video are alike.
std::string source_of(const Sample& sample);

/// Cuts the boxes of a dataset out of their images. In a dataset without ground truth each image is a sample
/// as a whole. The border is continued where a region reaches beyond its image. The result is equal for every
/// number of threads.
///
/// \param backgrounds for the augmentation; none of them empty.
/// \param progress called with the images done and all of them; may throw to stop.
/// \throws UsageError for options out of range; Error if no box is left, which says why.
CutResult cut_samples(const Dataset& dataset, const CutOptions& options,
                      std::span<const GreyImage> backgrounds = {}, const CountProgress& progress = {});

}  // namespace fovea
