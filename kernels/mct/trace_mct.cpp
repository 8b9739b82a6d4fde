#include <tbb/parallel_for.h>

#include "kernels/mct/mct_body.hpp"
#include "kernels/mct/pyramid.hpp"
#include "kernels/mct/scan_mct.hpp"

namespace fovea {
namespace {

WindowTrace::Level trace_level(const MctCascade& cascade, ImageView<const std::uint8_t> pixels,
                               const PyramidLevel& level) {
    WindowTrace::Level trace;
    trace.windows_per_row = level.windows_per_row();
    trace.window_rows = level.window_rows();
    for (int y = 0; y < level.rows; y += level.step) {
        for (int x = 0; x < level.columns; x += level.step) {
            MctResult outcome;
            evaluate_lookups(cascade.lookups.data(), cascade.weights.data(),
                             static_cast<int>(cascade.lookups.size()), outcome, [&](const MctLookup& lookup) {
                                 const MctPlace place = mct_place(lookup, x, y);
                                 return mct_code_at(pixels, lookup.plane, place.x, place.y);
                             });
            trace.stages_passed.push_back(static_cast<std::int16_t>(outcome.lookups_passed));
            trace.last_sums.push_back(outcome.sum);
        }
    }
    return trace;
}

}  // namespace

WindowTrace trace_mct(const MctCascade& cascade, ImageView<const std::uint8_t> image,
                      std::span<const PyramidLevel> levels) {
    const std::vector<GreyBuffer> octaves = make_octaves(image, {levels.begin(), levels.end()});
    WindowTrace trace;
    trace.levels.resize(levels.size());
    tbb::parallel_for(std::size_t{0}, levels.size(), [&](std::size_t i) {
        const GreyBuffer& octave = octaves[level_source(levels[i].scale).octave];
        const GreyBuffer pixels = make_level(octave.view(), levels[i].size, levels[i].scale);
        trace.levels[i] = trace_level(cascade, pixels.view(), levels[i]);
    });
    return trace;
}

}  // namespace fovea
