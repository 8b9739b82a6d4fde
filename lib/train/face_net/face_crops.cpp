#include "lib/train/face_net/face_crops.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "kernels/net_training/bilinear_sums.hpp"
#include "lib/train/face_net/clutter.hpp"

namespace fovea {
namespace {

constexpr double min_reduction = 0.12;
constexpr double max_turns = 3.5;  // standard deviations
/// The scale of a photograph without faces is at most this.
constexpr double max_background_scale = 1.4;
/// A photograph that fills a crop is larger than it by this factor, so that its corners do not show when it
/// is turned, and is enlarged from there by this much at most.
constexpr double filler_margin = 1.3, max_filler_zoom = 3;
/// The longer side of a photograph fills this share of the crop's at least: the rest teaches nothing.
constexpr double min_fill = 0.35, min_background_fill = 0.6;
/// The face is as far from the middle of the crop as this share of its side at most.
constexpr double max_offset = 0.4;

/// From the pixels of a crop to those of its photograph.
struct Place {
    double x = 0, y = 0;                    // of the crop's middle
    double xx = 1, xy = 0, yx = 0, yy = 1;  // (xx · u + xy · v, yx · u + yy · v) from it
    double scale = 1;                       // pixels of the crop for one of the photograph
    double aspect = 1;
};

/// Turns, mirrors and stretches. The scale is already there.
void turn(const CropSettings& settings, CounterRandom& random, Place& place) {
    const double turns = std::clamp(random.normal(), -max_turns, max_turns);
    const double angle = turns * settings.turn_deg * std::numbers::pi / 180;
    const double mirror = random.unit() < 0.5 ? -1 : 1;
    place.aspect = std::exp(random.normal() * settings.aspect);
    const double cosine = std::cos(angle) / place.scale, sine = std::sin(angle) / place.scale;
    place.xx = cosine * mirror * place.aspect;
    place.xy = -sine;
    place.yx = sine * mirror * place.aspect;
    place.yy = cosine;
}

Place draw_place(const CropSubject& subject, const CropSettings& settings, CounterRandom& random) {
    const FacePhotograph& photograph = *subject.photograph;
    Place place;
    const auto whole =
        static_cast<double>(settings.side) / std::max(photograph.image.width, photograph.image.height);
    if (subject.place == nullptr && photograph.faces.empty()) {
        const double least = std::max(min_reduction, min_background_fill * whole);
        place.scale = random.log_uniform(least, std::max(max_background_scale, least));
        place.x = random.unit() * photograph.image.width;
        place.y = random.unit() * photograph.image.height;
    } else {
        const Box& face = subject.place != nullptr ? *subject.place
                                                   : photograph.faces[random.below(photograph.faces.size())];
        const double size = std::sqrt(std::max(face.w * face.h, 16.0));
        const double wanted = random.log_uniform(settings.min_face, settings.max_face);
        place.scale =
            std::clamp(std::max(wanted / size, min_fill * whole), min_reduction, settings.max_enlargement);
        place.x = face.x + face.w / 2;
        place.y = face.y + face.h / 2;
    }
    const double reach = 2 * max_offset * static_cast<double>(settings.side) / place.scale;
    place.x += (random.unit() - 0.5) * reach;
    place.y += (random.unit() - 0.5) * reach;
    turn(settings, random, place);
    return place;
}

/// A place in a photograph that the whole crop lies in, where the photograph is not too small for that.
Place draw_filler_place(const GreyImage& image, const CropSettings& settings, CounterRandom& random) {
    Place place;
    const auto side = static_cast<double>(settings.side);
    const double least = filler_margin * side / std::min(image.width, image.height);
    place.scale = std::max(min_reduction, least * std::pow(max_filler_zoom, random.unit()));
    const auto middle = [&](int edge) {
        const double room = std::max(0.0, edge - filler_margin * side / place.scale);
        return edge / 2.0 + (random.unit() - 0.5) * room;
    };
    place.x = middle(image.width);
    place.y = middle(image.height);
    turn(settings, random, place);
    return place;
}

/// Fills the pixels that are not covered yet and lie in the photograph.
void cut(const FacePhotograph& photograph, Place place, std::size_t side, float* pixels,
         std::vector<char>& is_covered) {
    // The smallest copy that has a pixel at least for each of the crop.
    const GreyImage* image = &photograph.image;
    for (const GreyImage& smaller : photograph.smaller) {
        if (place.scale > 0.5) break;
        image = &smaller;
        for (double* value : {&place.x, &place.y, &place.xx, &place.xy, &place.yx, &place.yy}) *value /= 2;
        place.scale *= 2;
    }
    const int samples = place.scale >= 1 ? 1 : std::max(2, static_cast<int>(std::lround(1 / place.scale)));
    const double middle = static_cast<double>(side) / 2;
    std::vector<float> dx, dy;  // of a pixel's samples from its corner
    for (int i = 0; i < samples * samples; ++i) {
        const double u = (i % samples + 0.5) / samples, v = (i / samples + 0.5) / samples;
        dx.push_back(static_cast<float>(place.xx * u + place.xy * v));
        dy.push_back(static_cast<float>(place.yx * u + place.yy * v));
    }
    std::vector<std::size_t> open(side);  // pixels of a row that are not covered
    std::vector<float> x(side), y(side), sums(side);
    std::vector<std::int32_t> inside(side);
    for (std::size_t row = 0; row < side; ++row) {
        const double v = static_cast<double>(row) - middle;
        std::size_t count = 0;
        for (std::size_t column = 0; column < side; ++column) {
            if (is_covered[row * side + column] != 0) continue;
            const double u = static_cast<double>(column) - middle;
            open[count] = row * side + column;
            x[count] = static_cast<float>(place.x + place.xx * u + place.xy * v);
            y[count] = static_cast<float>(place.y + place.yx * u + place.yy * v);
            ++count;
        }
        add_bilinear({image->pixels.data(), image->width, image->height},
                     {{x.data(), count}, {y.data(), count}}, {dx, dy}, sums.data(), inside.data());
        for (std::size_t i = 0; i < count; ++i) {
            if (2 * static_cast<std::size_t>(inside[i]) <= dx.size()) continue;
            pixels[open[i]] = sums[i] / static_cast<float>(inside[i]);
            is_covered[open[i]] = 1;
        }
    }
}

void change_light(const CropSettings& settings, std::size_t side, CounterRandom& random, float* pixels) {
    const std::size_t count = side * side;
    const auto gain = static_cast<float>(std::exp(random.normal() * settings.contrast));
    const auto light = static_cast<float>(random.normal() * settings.light);
    double sum = 0;
    for (std::size_t i = 0; i < count; ++i) sum += static_cast<double>(pixels[i]);
    const auto mean = static_cast<float>(sum / static_cast<double>(count));
    for (std::size_t i = 0; i < count; ++i) pixels[i] = (pixels[i] - mean) * gain + mean + light;
}

// Mixes the pixels with the means of 3×3; the border is continued.
void blur(std::size_t side, float share, float* pixels) {
    const std::size_t width = side + 2;
    std::vector<float> sharp(width * width);
    for (std::size_t y = 0; y < width; ++y) {
        const float* from = pixels + (std::clamp<std::size_t>(y, 1, side) - 1) * side;
        float* to = sharp.data() + y * width;
        std::copy_n(from, side, to + 1);
        to[0] = from[0];
        to[width - 1] = from[side - 1];
    }
    for (std::size_t y = 0; y < side; ++y) {
        const float* above = sharp.data() + y * width;
        for (std::size_t x = 0; x < side; ++x) {
            float sum = 0;
            for (std::size_t k = 0; k < 9; ++k) sum += above[k / 3 * width + x + k % 3];
            pixels[y * side + x] += share * (sum / 9 - pixels[y * side + x]);
        }
    }
}

void add_noise(std::size_t side, double deviation, CounterRandom& random, float* pixels) {
    // Four 16-bit numbers of one draw: their sum has the variance 4/12.
    const auto scale = static_cast<float>(deviation * std::numbers::sqrt3 / 65536.0);
    for (std::size_t i = 0; i < side * side; ++i) {
        const std::uint64_t drawn = random.next();
        const auto sum = static_cast<float>((drawn & 0xffff) + (drawn >> 16 & 0xffff) +
                                            (drawn >> 32 & 0xffff) + (drawn >> 48));
        pixels[i] += scale * (sum - 2 * 65535.0F);
    }
}

/// The box, in the crop, of the ellipse that fills the box in the photograph.
Box in_crop(const Box& box, const Place& place, std::size_t side) {
    const double determinant = place.xx * place.yy - place.xy * place.yx;
    // From pixels of the photograph to those of the crop.
    const double xx = place.yy / determinant, xy = -place.xy / determinant;
    const double yx = -place.yx / determinant, yy = place.xx / determinant;
    const double dx = box.x + box.w / 2 - place.x, dy = box.y + box.h / 2 - place.y;
    const double middle = static_cast<double>(side) / 2;
    const double x = middle + xx * dx + xy * dy, y = middle + yx * dx + yy * dy;
    const double w = std::hypot(xx * box.w, xy * box.h), h = std::hypot(yx * box.w, yy * box.h);
    return {x - w / 2, y - h / 2, w, h};
}

}  // namespace

CropTruth draw_crop(const CropSubject& subject, const FacePhotograph* filler, const CropSettings& settings,
                    CounterRandom random, float* pixels) {
    const FacePhotograph& photograph = *subject.photograph;
    const std::size_t side = settings.side;
    const Place place = draw_place(subject, settings, random);
    std::vector<char> is_covered(side * side);
    cut(photograph, place, side, pixels, is_covered);
    const auto beyond = static_cast<float>(random.unit() * 255);
    if (random.unit() < settings.filled && filler != nullptr)
        cut(*filler, draw_filler_place(filler->image, settings, random), side, pixels, is_covered);
    for (std::size_t i = 0; i < side * side; ++i) {
        if (is_covered[i] == 0) pixels[i] = beyond;
    }
    if (settings.clutter > 0 && subject.place == nullptr && photograph.faces.empty() &&
        random.unit() < settings.clutter)
        draw_clutter(side, random, pixels);
    change_light(settings, side, random, pixels);
    if (random.unit() < 0.3) blur(side, static_cast<float>(random.unit()), pixels);
    if (random.unit() < 0.5) add_noise(side, random.unit() * settings.max_noise, random, pixels);
    for (std::size_t i = 0; i < side * side; ++i)
        pixels[i] = (std::clamp(pixels[i], 0.0F, 255.0F) - 128) / 64;
    CropTruth truth;
    truth.is_complete = photograph.is_complete;
    const auto add = [&](const std::vector<Box>& boxes, std::vector<Box>& to) {
        for (const Box& box : boxes) {
            const Box here = in_crop(box, place, side);
            const auto limit = static_cast<double>(side);
            if (here.x < limit && here.y < limit && here.x + here.w > 0 && here.y + here.h > 0)
                to.push_back(here);
        }
    };
    add(photograph.faces, truth.faces);
    add(photograph.ignored, truth.ignored);
    return truth;
}

std::vector<std::uint8_t> grey_levels(std::span<const float> pixels) {
    std::vector<std::uint8_t> levels(pixels.size());
    std::transform(pixels.begin(), pixels.end(), levels.begin(), [](float pixel) {
        return static_cast<std::uint8_t>(std::lround(std::clamp(pixel * 64 + 128, 0.0F, 255.0F)));
    });
    return levels;
}

}  // namespace fovea
