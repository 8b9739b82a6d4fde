#include "lib/train/samples/augment.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include <tbb/parallel_for.h>

#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/train/samples/sample_backgrounds.hpp"
#include "lib/train/samples/sample_blur.hpp"
#include "lib/train/samples/sample_split.hpp"
#include "lib/train/samples/sample_warp.hpp"

namespace fovea {
namespace {

void check_limit(const char* name, double value, double most) {
    if (value >= 0 && value <= most) return;
    throw UsageError("'" + std::string(name) + "' of the augmentation is " + shortest_number(value) +
                     "; it must be from 0 to " + shortest_number(most) + ".");
}

/// The numbers that were drawn for one copy. All is drawn in the same order, whatever the limits are, so that
/// one limit does not change the numbers of the others.
struct CopyDraw {
    SamplePose pose;
    bool mirrored = false;
    double contrast = 1;
    double light = 0;
    double blur = 0;
    double noise = 0;
    CounterRandom background, grain;
};

double within(double limit, CounterRandom& random) {
    return limit * (2 * random.unit() - 1);
}

CopyDraw draw_copy(const AugmentOptions& options, CounterRandom random) {
    CopyDraw draw{{}, false, 1, 0, 0, 0, CounterRandom(0), CounterRandom(0)};
    draw.pose.angle_x_deg = within(options.max_angle_x_deg, random);
    draw.pose.angle_y_deg = within(options.max_angle_y_deg, random);
    draw.pose.angle_z_deg = within(options.max_angle_z_deg, random);
    const double scale = within(options.max_scale, random);
    draw.pose.scale = scale < 0 ? 1 / (1 - scale) : 1 + scale;
    draw.pose.shift_x = within(options.max_shift, random);
    draw.pose.shift_y = within(options.max_shift, random);
    const bool is_odd = (random.next() & 1) != 0;
    draw.mirrored = options.mirrored && is_odd;
    draw.contrast = 1 + within(options.max_contrast, random);
    draw.light = within(options.max_light, random);
    draw.blur = options.max_blur * random.unit();
    draw.noise = options.max_noise * random.unit();
    draw.background = CounterRandom(random.next());
    draw.grain = CounterRandom(random.next());
    return draw;
}

/// Contrast about the mean of the object, and light; limited to grey levels.
void relight(SeenObject& seen, double contrast, double light) {
    if (contrast == 1 && light == 0) return;
    double sum = 0, covered = 0;
    for (std::size_t i = 0; i < seen.levels.size(); ++i) {
        sum += seen.levels[i];
        covered += seen.cover[i];
    }
    if (!(covered > 0)) return;
    const double mean = sum / covered;
    for (std::size_t i = 0; i < seen.levels.size(); ++i) {
        const double cover = seen.cover[i];
        if (!(cover > 0)) continue;
        const double level = mean + (seen.levels[i] / cover - mean) * contrast + light;
        seen.levels[i] = std::clamp(level, 0.0, 255.0) * cover;
    }
}

bool lies_in_image(const ObjectPlace& object) {
    const Box& box = object.region;
    return box.x >= 0 && box.y >= 0 && box.x + box.w <= object.image.width &&
           box.y + box.h <= object.image.height;
}

SeenObject see(const ObjectPlace& object, Size window, Resampling resampling, const SamplePose& pose,
               const Transparency& transparency) {
    const bool is_opaque =
        !transparency.background_colour && !(transparency.beyond_image && !lies_in_image(object));
    if (!pose.is_plain() || !is_opaque) {
        return seen_object(object.image, SampleProjection(object.region, window, pose), window, transparency);
    }
    WindowPlane levels = resampled(object.image, object.region, window, resampling);
    WindowPlane cover(levels.size(), 1.0);
    return {std::move(levels), std::move(cover)};
}

}  // namespace

void check_augment_options(const AugmentOptions& options) {
    constexpr double max_tilt_deg = 75, max_turn_deg = 180, max_level = 255;
    check_limit("max_angle_x_deg", options.max_angle_x_deg, max_tilt_deg);
    check_limit("max_angle_y_deg", options.max_angle_y_deg, max_tilt_deg);
    check_limit("max_angle_z_deg", options.max_angle_z_deg, max_turn_deg);
    check_limit("max_scale", options.max_scale, 1);
    check_limit("max_shift", options.max_shift, 0.5);
    check_limit("max_light", options.max_light, max_level);
    check_limit("max_contrast", options.max_contrast, 1);
    check_limit("max_blur", options.max_blur, 20);
    check_limit("max_noise", options.max_noise, 128);
    check_limit("background_colour", options.background_colour.value_or(0), max_level);
    check_limit("background_threshold", options.background_threshold, max_level);
}

CounterRandom random_of_copy(std::uint64_t seed, std::string_view source, std::size_t object,
                             std::size_t copy) {
    return CounterRandom(seed, 'a', hash_of_name(source), object, copy);
}

std::vector<std::uint8_t> augmented_sample(const ObjectPlace& object, Size window, Resampling resampling,
                                           const AugmentOptions& options,
                                           std::span<const GreyImage> backgrounds, CounterRandom random) {
    CopyDraw draw = draw_copy(options, random);
    Transparency transparency;
    if (!backgrounds.empty()) {
        transparency = {options.background_colour, options.background_threshold, true};
    }
    SeenObject seen = see(object, window, resampling, draw.pose, transparency);
    if (draw.mirrored) {
        mirror(seen.levels, window);
        mirror(seen.cover, window);
    }
    relight(seen, draw.contrast, draw.light);
    const bool is_covered =
        std::all_of(seen.cover.begin(), seen.cover.end(), [](double cover) { return cover == 1; });
    if (!backgrounds.empty() && !is_covered) {
        const WindowPlane piece = random_piece(backgrounds, window, draw.background);
        for (std::size_t i = 0; i < piece.size(); ++i) seen.levels[i] += (1 - seen.cover[i]) * piece[i];
    }
    blur(seen.levels, window, draw.blur);
    add_noise(seen.levels, draw.noise, draw.grain);
    return rounded(seen.levels);
}

WindowSamples augmented_samples(const WindowSamples& samples, std::size_t copies,
                                const AugmentOptions& options, std::span<const GreyImage> backgrounds,
                                std::uint64_t seed) {
    check_augment_options(options);
    const std::size_t pixels = pixels_of(samples.window);
    std::vector<std::size_t> object(samples.count());  // number within its source
    std::vector<std::size_t> of_source(samples.sources.size(), 0);
    for (std::size_t i = 0; i < samples.count(); ++i) object[i] = of_source[samples.source[i]]++;
    WindowSamples result{samples.window, {}, {}, samples.sources};
    result.pixels.resize(samples.pixels.size() * copies);
    for (const std::uint32_t of : samples.source) result.source.insert(result.source.end(), copies, of);
    const Box whole{0, 0, static_cast<double>(samples.window.width),
                    static_cast<double>(samples.window.height)};
    tbb::parallel_for(std::size_t{0}, samples.count() * copies, [&](std::size_t i) {
        const std::size_t sample = i / copies;
        const auto random =
            random_of_copy(seed, samples.sources[samples.source[sample]], object[sample], i % copies);
        const auto made = augmented_sample({samples.view(sample), whole}, samples.window, Resampling::area,
                                           options, backgrounds, random);
        std::copy(made.begin(), made.end(), result.pixels.begin() + static_cast<std::ptrdiff_t>(i * pixels));
    });
    return result;
}

}  // namespace fovea
