#include "tests/support/mct_cascades.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <utility>

#include "kernels/mct/mct_body.hpp"
#include "kernels/mct/pyramid.hpp"

namespace fovea::test {
namespace {

// The engine's numbers are the same everywhere; those of the library's distributions are not.
int below(std::mt19937& random, int limit) {
    return static_cast<int>(random() % static_cast<std::uint32_t>(limit));
}

MctLookup random_lookup(MctPlane plane, std::mt19937& random) {
    const int places = MctCascade::window - 3 * mct_block(plane) + 1;
    const int grid = mct_is_coarse(plane) ? 2 : 1;
    MctLookup lookup;
    lookup.plane = plane;
    lookup.x = static_cast<std::uint8_t>(grid * below(random, (places + grid - 1) / grid));
    lookup.y = static_cast<std::uint8_t>(grid * below(random, (places + grid - 1) / grid));
    return lookup;
}

void add_random_tables(MctCascade& cascade, std::mt19937& random) {
    cascade.weights.resize(cascade.lookups.size() * MctCascade::codes);
    for (std::int8_t& weight : cascade.weights) weight = static_cast<std::int8_t>(below(random, 256) - 128);
}

// A window on the level that it belongs to.
struct SampledWindow {
    const GreyBuffer* level;
    int x;
    int y;
    std::int32_t sum = 0;
};

// Between the knots the logarithm of the share falls linearly.
double interpolated(const std::vector<std::pair<double, double>>& knots, double at) {
    std::size_t k = 1;
    while (k + 1 < knots.size() && at > knots[k].first) ++k;
    const auto& [x0, y0] = knots[k - 1];
    const auto& [x1, y1] = knots[k];
    const double part = std::min(1.0, (at - x0) / std::max(x1 - x0, 1e-9));
    return y0 * std::pow(y1 / y0, part);
}

constexpr MctPlane coarse_planes[]{MctPlane::coarse4, MctPlane::coarse2, MctPlane::contrast4};

}  // namespace

MctCascade random_mct_cascade(int coarse, int fine, std::uint32_t seed, bool pixel_only) {
    std::mt19937 random(seed);
    MctCascade cascade;
    for (int i = 0; i < coarse; ++i) {
        cascade.lookups.push_back(random_lookup(coarse_planes[i % 3], random));
    }
    for (int i = 0; i < fine; ++i) {
        const bool pixel = pixel_only || i % 2 == 1;
        cascade.lookups.push_back(random_lookup(pixel ? MctPlane::pixel : MctPlane::block2, random));
    }
    add_random_tables(cascade, random);
    return cascade;
}

MctCascade staged_mct_cascade(const std::vector<int>& lookups, std::uint32_t seed) {
    std::mt19937 random(seed);
    MctCascade cascade;
    for (int count : lookups) {
        for (int i = 0; i < count; ++i) {
            cascade.lookups.push_back(random_lookup(MctPlane::pixel, random));
            cascade.lookups.back().starts_stage = i == 0;
        }
    }
    add_random_tables(cascade, random);
    return cascade;
}

void settle_stages(MctCascade& cascade) {
    std::int64_t reachable = 0;
    for (int i = static_cast<int>(cascade.lookups.size()) - 1; i >= 0; --i) {
        MctLookup& lookup = cascade.lookups[i];
        const bool last =
            i + 1 == static_cast<int>(cascade.lookups.size()) || cascade.lookups[i + 1].starts_stage;
        if (last) {
            reachable = lookup.reject_above;
        } else {
            lookup.reject_above = static_cast<std::int32_t>(
                std::min<std::int64_t>(reachable, std::numeric_limits<std::int32_t>::max()));
        }
        const std::int8_t* table = cascade.table(i);
        reachable -= *std::min_element(table, table + MctCascade::codes - 1);
    }
}

void calibrate_mct(MctCascade& cascade, ImageView<const std::uint8_t> image,
                   std::span<const PyramidLevel> levels, Survival survival, int sample, std::uint32_t seed) {
    std::mt19937 random(seed);
    const std::vector<GreyBuffer> octaves = make_octaves(image, {levels.begin(), levels.end()});
    std::vector<GreyBuffer> pixels;
    double places = 0;
    for (const PyramidLevel& level : levels) {
        pixels.push_back(
            make_level(octaves[level_source(level.scale).octave].view(), level.size, level.scale));
        places += static_cast<double>(level.columns) * level.rows;
    }
    std::vector<SampledWindow> windows;
    for (std::size_t i = 0; i < levels.size(); ++i) {
        const double here = static_cast<double>(levels[i].columns) * levels[i].rows;
        const int count = static_cast<int>(std::ceil(std::min(here, sample * (here / places))));
        for (int k = 0; k < count; ++k) {
            windows.push_back({&pixels[i], below(random, levels[i].columns), below(random, levels[i].rows)});
        }
    }
    const double all = static_cast<double>(windows.size());
    const bool staged = std::any_of(cascade.lookups.begin(), cascade.lookups.end(),
                                    [](const MctLookup& lookup) { return lookup.starts_stage; });
    for (std::size_t i = 0; i < cascade.lookups.size() && !windows.empty(); ++i) {
        MctLookup& lookup = cascade.lookups[i];
        for (SampledWindow& window : windows) {
            const MctPlace place = mct_place(lookup, window.x, window.y);
            if (lookup.starts_stage) window.sum = 0;
            window.sum += cascade.table(i)[mct_code_at(window.level->view(), lookup.plane, place.x, place.y)];
        }
        const bool last = i + 1 == cascade.lookups.size() || cascade.lookups[i + 1].starts_stage;
        if (staged && !last) continue;
        const auto kept =
            static_cast<std::size_t>(std::llround(all * survival(cascade, static_cast<int>(i))));
        std::sort(windows.begin(), windows.end(),
                  [](const SampledWindow& a, const SampledWindow& b) { return a.sum < b.sum; });
        lookup.reject_above = windows[std::clamp<std::size_t>(kept, 1, windows.size()) - 1].sum;
        while (windows.back().sum > lookup.reject_above) windows.pop_back();
    }
    if (staged) settle_stages(cascade);
}

double trained_survival(const MctCascade& cascade, int i) {
    const int coarse = cascade.coarse_lookups();
    const int fine = static_cast<int>(cascade.lookups.size()) - coarse;
    if (i < coarse) {
        return interpolated({{0, 1}, {3, 0.57}, {5, 0.38}, {10, 0.20}, {20, 0.15}}, i + 1);
    }
    const double cells = coarse > 0 ? trained_survival(cascade, coarse - 1) : 1;
    return cells * interpolated({{0, 1}, {4, 0.6}, {12, 0.2}, {30, 0.05}, {fine, 0.001}}, i - coarse + 1);
}

double even_survival(const MctCascade& cascade, int i) {
    return std::pow(0.1, (i + 1.0) / static_cast<double>(cascade.lookups.size()));
}

}  // namespace fovea::test
