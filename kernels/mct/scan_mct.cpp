#include "kernels/mct/scan_mct.hpp"

#include <algorithm>
#include <array>

#include <tbb/parallel_for.h>

#include "kernels/mct/mct_body.hpp"
#include "kernels/mct/pyramid.hpp"

namespace fovea {
namespace {

/// The codes of one level by block size: element (x, y) is that of the neighbourhood whose top left pixel is it.
struct CodePlanes {
    struct Plane {
        int width = 0;
        std::vector<std::uint16_t> codes;
    };
    std::array<Plane, 5> by_block;  // 1, 2 and 4 are used
};

CodePlanes transform(const MctCascade& cascade, ImageView<const std::uint8_t> level) {
    CodePlanes planes;
    for (const MctLookup& lookup : cascade.lookups) {
        const int block = mct_block(lookup.plane);
        CodePlanes::Plane& plane = planes.by_block[block];
        if (!plane.codes.empty()) continue;
        plane.width = level.width - 3 * block + 1;
        const int height = level.height - 3 * block + 1;
        plane.codes.reserve(static_cast<std::size_t>(plane.width) * height);
        for (int y = 0; y < height; ++y) {
            for (int x = 0; x < plane.width; ++x) {
                const bool used = block < 4 || (x % 2 == 0 && y % 2 == 0);
                plane.codes.push_back(used ? static_cast<std::uint16_t>(mct_code_at(level, block, x, y)) : 0);
            }
        }
    }
    return planes;
}

template <class Visit>
void each_level(const MctCascade& cascade, ImageView<const std::uint8_t> image,
                std::span<const PyramidLevel> levels, const Visit& visit) {
    const std::vector<GreyBuffer> octaves = make_octaves(image, {levels.begin(), levels.end()});
    tbb::parallel_for(std::size_t{0}, levels.size(), [&](std::size_t i) {
        const GreyBuffer& octave = octaves[level_source(levels[i].scale).octave];
        const GreyBuffer level = make_level(octave.view(), levels[i].size, levels[i].scale);
        visit(i, transform(cascade, level.view()));
    });
}

}  // namespace

std::vector<CascadeWindow> scan_mct(const MctCascade& cascade, ImageView<const std::uint8_t> image,
                                    std::span<const PyramidLevel> levels) {
    std::vector<std::vector<CascadeWindow>> found(levels.size());
    const int count = static_cast<int>(cascade.lookups.size());
    each_level(cascade, image, levels, [&](std::size_t i, const CodePlanes& planes) {
        const PyramidLevel& level = levels[i];
        for (int y = 0; y < level.rows; y += level.step) {
            for (int x = 0; x < level.columns; x += level.step) {
                MctOutcome outcome;
                const bool passed = evaluate_lookups(
                    cascade.lookups.data(), cascade.weights.data(), count, outcome,
                    [&](const MctLookup& lookup) {
                        const MctPlace place = mct_place(lookup, x, y);
                        const CodePlanes::Plane& plane = planes.by_block[mct_block(lookup.plane)];
                        return plane.codes[static_cast<std::size_t>(place.y) * plane.width + place.x];
                    });
                if (!passed) continue;
                const std::int32_t last = count > 0 ? cascade.lookups.back().reject_above : 0;
                found[i].push_back({static_cast<int>(i), x, y, static_cast<double>(last) - outcome.sum});
            }
        }
    });
    std::vector<CascadeWindow> windows;
    for (const auto& part : found) windows.insert(windows.end(), part.begin(), part.end());
    return windows;
}

void transform_levels(const MctCascade& cascade, ImageView<const std::uint8_t> image,
                      std::span<const PyramidLevel> levels) {
    each_level(cascade, image, levels, [](std::size_t, const CodePlanes&) {});
}

}  // namespace fovea
