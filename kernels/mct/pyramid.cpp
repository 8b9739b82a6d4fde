#include "kernels/mct/pyramid.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/mct/area_tap_body.hpp"
#include "kernels/mct/mct_cascade.hpp"

namespace fovea {
namespace {

Size level_size(Size image, float scale) {
    const LevelSource source = level_source(scale);
    const Size octave = octave_size(image, source.octave);
    const auto divided = [&](int size) { return static_cast<int>(std::floor(size / source.ratio)); };
    return {divided(octave.width), divided(octave.height)};
}

}  // namespace

LevelSource level_source(float scale) {
    LevelSource source;
    while (scale >= std::ldexp(2.0F, source.octave)) ++source.octave;
    source.ratio = std::ldexp(static_cast<double>(scale), -source.octave);
    return source;
}

Size octave_size(Size image, int octave) {
    return {image.width >> octave, image.height >> octave};
}

std::vector<PyramidLevel> mct_levels(Size image, const ScanParameters& parameters) {
    Size max_size = parameters.max_size;
    if (max_size.width == 0 || max_size.height == 0) max_size = image;
    std::vector<PyramidLevel> levels;
    for (double exact = parameters.start_scale;; exact *= parameters.scale_factor) {
        PyramidLevel level;
        level.scale = static_cast<float>(exact);
        // The limit keeps boxes within int; no image comes near it.
        if (exact * MctCascade::window > std::numeric_limits<int>::max() / 2) return levels;
        const int box = static_cast<int>(std::lrint(exact * MctCascade::window));
        level.box = {box, box};
        if (box > std::min(max_size.width, max_size.height)) return levels;
        level.size = level_size(image, level.scale);
        level.columns = level.size.width - MctCascade::window + 1;
        level.rows = level.size.height - MctCascade::window + 1;
        if (level.columns <= 0 || level.rows <= 0) return levels;
        level.step = parameters.step;
        if (box >= parameters.min_size.width && box >= parameters.min_size.height) levels.push_back(level);
    }
}

std::vector<AreaTap> area_taps(int count, double ratio, int source_size) {
    std::vector<AreaTap> taps(count);
    for (int i = 0; i < count; ++i) taps[i] = area_tap(i, ratio, source_size);
    return taps;
}

GreyBuffer make_level(ImageView<const std::uint8_t> octave, Size size, float scale) {
    const double ratio = level_source(scale).ratio;
    const std::vector<AreaTap> columns = area_taps(size.width, ratio, octave.width);
    const std::vector<AreaTap> rows = area_taps(size.height, ratio, octave.height);
    GreyBuffer level{size, std::vector<std::uint8_t>(static_cast<std::size_t>(size.width) * size.height)};
    // Pixels beyond the end have weight 0; any pixel may stand for them.
    const auto inside = [](int index, int count) { return std::min(index, count - 1); };
    std::uint8_t* to = level.pixels.data();
    for (const AreaTap& row : rows) {
        for (const AreaTap& column : columns) {
            int passes[3];
            for (int k = 0; k < 3; ++k) {
                const std::uint8_t* from = octave.row(inside(row.first + k, octave.height));
                passes[k] = area_columns(from[inside(column.first, octave.width)],
                                         from[inside(column.first + 1, octave.width)],
                                         from[inside(column.first + 2, octave.width)], column);
            }
            *to++ = static_cast<std::uint8_t>(area_rows(passes[0], passes[1], passes[2], row));
        }
    }
    return level;
}

std::vector<GreyBuffer> make_octaves(ImageView<const std::uint8_t> image,
                                     const std::vector<PyramidLevel>& levels) {
    std::vector<GreyBuffer> octaves;
    if (levels.empty()) return octaves;
    GreyBuffer copy{{image.width, image.height}, {}};
    copy.pixels.reserve(static_cast<std::size_t>(image.width) * image.height);
    for (int y = 0; y < image.height; ++y) {
        copy.pixels.insert(copy.pixels.end(), image.row(y), image.row(y) + image.width);
    }
    octaves.push_back(std::move(copy));
    for (int octave = level_source(levels.back().scale).octave; octave > 0; --octave) {
        octaves.push_back(halve(octaves.back().view()));
    }
    return octaves;
}

}  // namespace fovea
