#include "lib/train/mct/patch.hpp"

#include <algorithm>
#include <cmath>

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include "kernels/mct/mct_body.hpp"

namespace fovea {
namespace {

double sample(ImageView<const std::uint8_t> image, double x, double y) {
    x = std::clamp(x - 0.5, 0.0, image.width - 1.0);
    y = std::clamp(y - 0.5, 0.0, image.height - 1.0);
    const int left = static_cast<int>(x);
    const int top = static_cast<int>(y);
    const int right = std::min(left + 1, image.width - 1);
    const int bottom = std::min(top + 1, image.height - 1);
    const double u = x - left;
    const double v = y - top;
    return (image(left, top) * (1 - u) + image(right, top) * u) * (1 - v) +
           (image(left, bottom) * (1 - u) + image(right, bottom) * u) * v;
}

}  // namespace

PatchSource::PatchSource(ImageView<const std::uint8_t> image) {
    octaves_.push_back({{image.width, image.height}, {}});
    for (int y = 0; y < image.height; ++y) {
        octaves_[0].pixels.insert(octaves_[0].pixels.end(), image.row(y), image.row(y) + image.width);
    }
    while (std::min(octaves_.back().size.width, octaves_.back().size.height) >= 2 * MctCascade::window) {
        octaves_.push_back(halve(octaves_.back().view()));
    }
}

MctPatch PatchSource::cut(const FacePlace& place, int dx, int dy) const {
    const double scale = place.side / MctCascade::window;
    const int octave = std::min(level_source(static_cast<float>(std::max(scale, 1.0))).octave,
                                static_cast<int>(octaves_.size()) - 1);
    const ImageView<const std::uint8_t> image = octaves_[octave].view();
    const double shrink = std::ldexp(1.0, -octave);
    const double along = std::cos(place.angle_rad) * scale * shrink;
    const double across = std::sin(place.angle_rad) * scale * shrink;
    constexpr int samples = 4;
    MctPatch patch;
    patch.dx = static_cast<std::uint8_t>(dx);
    patch.dy = static_cast<std::uint8_t>(dy);
    for (int py = 0; py < MctPatch::edge; ++py) {
        for (int px = 0; px < MctPatch::edge; ++px) {
            double sum = 0;
            for (int k = 0; k < samples * samples; ++k) {
                double u = px - dx + (k % samples + 0.5) / samples - MctCascade::window / 2.0;
                const double v = py - dy + (k / samples + 0.5) / samples - MctCascade::window / 2.0;
                if (place.mirrored) u = -u;
                sum += sample(image, place.x * shrink + u * along - v * across,
                              place.y * shrink + u * across + v * along);
            }
            patch.pixels[py * MctPatch::edge + px] =
                static_cast<std::uint8_t>(std::lround(sum / (samples * samples)));
        }
    }
    return patch;
}

int patch_code(const MctPatch& patch, const MctLookup& lookup) {
    const bool coarse = mct_is_coarse(lookup.plane);
    return mct_code_at(patch.view(), lookup.plane, lookup.x + (coarse ? 0 : patch.dx),
                       lookup.y + (coarse ? 0 : patch.dy));
}

std::vector<MctLookup> plane_places(MctPlane plane, int margin) {
    std::vector<MctLookup> places;
    const int step = mct_is_coarse(plane) ? 2 : 1;
    const int last = MctCascade::window - 3 * mct_block(plane) - margin;
    for (int y = margin; y <= last; y += step) {
        for (int x = margin; x <= last; x += step) {
            MctLookup place;
            place.plane = plane;
            place.x = static_cast<std::uint8_t>(x);
            place.y = static_cast<std::uint8_t>(y);
            places.push_back(place);
        }
    }
    return places;
}

CodeMatrix::CodeMatrix(std::vector<MctLookup> places, std::span<const MctPatch> patches)
    : places_(std::move(places)), patches_(patches.size()), codes_(places_.size() * patches.size()) {
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, patches.size(), 1024), [&](const auto& range) {
        for (std::size_t p = 0; p < places_.size(); ++p) {
            for (std::size_t i = range.begin(); i != range.end(); ++i) {
                codes_[p * patches_ + i] = static_cast<std::uint16_t>(patch_code(patches[i], places_[p]));
            }
        }
    });
}

}  // namespace fovea
