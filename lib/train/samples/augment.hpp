#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "kernels/core/view.hpp"
#include "lib/core/types.hpp"
#include "lib/image/formats/image.hpp"
#include "lib/train/counter_random.hpp"
#include "lib/train/samples/window_plane.hpp"
#include "lib/train/samples/window_samples.hpp"

namespace fovea {

/// How much a copy of a sample may differ from it; numbers are drawn evenly within their limits. Nothing
/// changes if all are 0.
struct AugmentOptions {
    double max_angle_x_deg = 0;  ///< of the nod, 0 to 75: see SamplePose; drawn from ± this
    double max_angle_y_deg = 0;  ///< of the turn to the side, 0 to 75
    double max_angle_z_deg = 0;  ///< in the picture, 0 to 180
    double max_scale = 0;        ///< 0.1 = from 1.1 times smaller to 1.1 times larger; 0 to 1
    double max_shift = 0;        ///< in widths and heights of the window, 0 to 0.5
    double max_light = 0;        ///< grey levels added to or taken from the object, 0 to 255
    double max_contrast = 0;     ///< 0.3 = distances from the object's mean times 0.7 to 1.3; 0 to 1
    double max_blur = 0;         ///< sigma, pixels of the window; drawn from 0 to this; 0 to 20
    double max_noise = 0;        ///< standard deviation, grey levels; drawn from 0 to this; 0 to 128
    bool mirrored = false;       ///< half of the copies are mirrored

    /// Levels that differ from this one by the threshold at most show the background; 0 to 255.
    std::optional<int> background_colour;
    int background_threshold = 80;  ///< grey levels, 0 to 255; 80 as in opencv_createsamples

    friend bool operator==(const AugmentOptions&, const AugmentOptions&) = default;
};

/// \throws UsageError that names the option that is out of its range.
void check_augment_options(const AugmentOptions& options);

/// Random numbers of one copy of one object: they depend on nothing else, so that neither threads nor other
/// objects change a copy. \param object its number among the objects of its source.
CounterRandom random_of_copy(std::uint64_t seed, std::string_view source, std::size_t object,
                             std::size_t copy);

/// An object in an image.
struct ObjectPlace {
    ImageView<const std::uint8_t> image;  ///< at least 1×1
    Box region;                           ///< the part that becomes the window, as resampled() takes it
};

/// Makes a copy of an object as opencv_createsamples does, with more kinds of changes. In this order, the
/// object is turned, scaled, shifted and mirrored; its contrast about its mean, then its light is changed; it
/// is laid over a piece of a background; it is blurred, gets noise and is rounded. Around a turned or shifted
/// object its own image is seen. A background shows beyond the image and through the background colour;
/// without backgrounds, the border is continued and the background colour stays. Without changes the pixels
/// are those of resampled().
///
/// \param backgrounds none of them empty.
std::vector<std::uint8_t> augmented_sample(const ObjectPlace& object, Size window, Resampling resampling,
                                           const AugmentOptions& options,
                                           std::span<const GreyImage> backgrounds, CounterRandom random);

/// Makes `copies` copies of each sample, together and in order, on all threads of the caller's arena. The
/// border of a sample is taken for its image's border. \throws UsageError as check_augment_options.
WindowSamples augmented_samples(const WindowSamples& samples, std::size_t copies,
                                const AugmentOptions& options, std::span<const GreyImage> backgrounds,
                                std::uint64_t seed);

}  // namespace fovea
