#include "lib/train/mine.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>

#include <tbb/parallel_for.h>

#include "kernels/mct/pyramid.hpp"
#include "kernels/mct/scan_mct.hpp"
#include "lib/evaluate/match.hpp"

namespace fovea {
namespace {

// SplitMix64 (Steele, Lea, Flood 2014): a window's place in a random order that needs no generator's state.
std::uint64_t mixed(std::uint64_t value) {
    value += 0x9E3779B97F4A7C15u;
    value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9u;
    value = (value ^ (value >> 27)) * 0x94D049BB133111EBu;
    return value ^ (value >> 31);
}

struct Candidate {
    std::uint64_t order = 0;
    std::size_t background = 0;
    CascadeWindow window;

    bool operator<(const Candidate& other) const { return order < other.order; }
};

// Keeps the `count` first of a random order.
void keep_first(std::vector<Candidate>& candidates, std::size_t count) {
    if (candidates.size() <= count) return;
    std::nth_element(candidates.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(count), candidates.end());
    candidates.resize(count);
}

bool is_face(const Background& background, const PyramidLevel& level, const CascadeWindow& window, double max_iou) {
    const Rect rect = window_rect(window.x, window.y, level.scale, level.box);
    const Box box{double(rect.x), double(rect.y), double(rect.width), double(rect.height)};
    return std::any_of(background.faces.begin(), background.faces.end(),
                       [&](const Box& face) { return intersection_over_union(face, box) > max_iou; });
}

MctPatch patch_of(ImageView<const std::uint8_t> level, const CascadeWindow& window) {
    MctPatch patch;
    patch.dx = static_cast<std::uint8_t>(window.x & 1);
    patch.dy = static_cast<std::uint8_t>(window.y & 1);
    for (int y = 0; y < MctPatch::edge; ++y) {
        const std::uint8_t* row = level.row(std::min((window.y & ~1) + y, level.height - 1));
        for (int x = 0; x < MctPatch::edge; ++x) {
            patch.pixels[y * MctPatch::edge + x] = row[std::min((window.x & ~1) + x, level.width - 1)];
        }
    }
    return patch;
}

ScanParameters parameters_of(const MiningSettings& settings, std::size_t background) {
    ScanParameters parameters;
    parameters.scale_factor = settings.scale_factor;
    // Every round, and every image, sees other scales than the one before.
    const double share = static_cast<double>(mixed(settings.seed * 7919 + background) >> 11) * 0x1p-53;
    parameters.start_scale = std::pow(settings.scale_factor, share);
    return parameters;
}

}  // namespace

MinedNegatives mine_negatives(const MctCascade& cascade, const std::vector<Background>& backgrounds,
                              const MiningSettings& settings, const std::function<void(std::size_t)>& progress) {
    MinedNegatives mined;
    std::uint64_t all_windows = 0;
    for (std::size_t b = 0; b < backgrounds.size(); ++b) {
        const GreyImage& image = backgrounds[b].image;
        for (const PyramidLevel& level : mct_levels({image.width, image.height}, parameters_of(settings, b))) {
            all_windows += std::uint64_t(level.columns) * level.rows;
        }
    }
    // Where far more windows are expected to pass than are wanted, every third of a row and column is looked at,
    // and then a random part of the backgrounds, at least an eighth: diversity before number.
    const double expected = static_cast<double>(all_windows) * settings.expected_pass_rate;
    const double surplus = expected / (4.0 * static_cast<double>(std::max<std::size_t>(settings.count, 1)));
    const int step = surplus >= 9 ? 3 : 1;
    const double share = std::clamp(step * step / surplus, 0.125, 1.0);
    const auto searched_here = [&](std::size_t b) {
        return static_cast<double>(mixed(settings.seed ^ mixed(b)) >> 11) * 0x1p-53 < share;
    };

    std::vector<std::vector<Candidate>> found(backgrounds.size());
    std::atomic<std::uint64_t> searched{0};
    std::atomic<std::uint64_t> passed{0};
    std::atomic<std::size_t> done{0};
    tbb::parallel_for(std::size_t{0}, backgrounds.size(), [&](std::size_t b) {
        if (!searched_here(b)) return;
        const Background& background = backgrounds[b];
        ScanParameters parameters = parameters_of(settings, b);
        parameters.step = step;
        const auto levels = mct_levels({background.image.width, background.image.height}, parameters);
        const auto windows = scan_mct(cascade, background.image.view(), levels);
        std::uint64_t count = 0;
        for (const PyramidLevel& level : levels) count += std::uint64_t(level.windows_per_row()) * level.window_rows();
        searched += count;
        for (const CascadeWindow& window : windows) {
            if (is_face(background, levels[window.level], window, settings.max_face_iou)) continue;
            ++passed;
            const std::uint64_t place = (std::uint64_t(b) << 44) ^ (std::uint64_t(window.level) << 38) ^
                                        (std::uint64_t(window.y) << 19) ^ std::uint64_t(window.x);
            found[b].push_back({mixed(place ^ mixed(settings.seed)), b, window});
        }
        keep_first(found[b], settings.most_an_image);
        ++done;
        if (progress) progress(done);
    });
    mined.windows_searched = searched;
    mined.windows_passed = passed;

    std::vector<Candidate> candidates;
    for (const auto& part : found) candidates.insert(candidates.end(), part.begin(), part.end());
    keep_first(candidates, settings.count);
    std::sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
        return a.background != b.background ? a.background < b.background : comes_before(a.window, b.window);
    });
    mined.patches.resize(candidates.size());
    tbb::parallel_for(std::size_t{0}, candidates.size(), [&](std::size_t first) {
        // One task makes the patches of a level: those of the first candidate on it.
        const auto same_level = [&](std::size_t i) {
            return candidates[i].background == candidates[first].background &&
                   candidates[i].window.level == candidates[first].window.level;
        };
        if (first > 0 && same_level(first - 1)) return;
        const Background& background = backgrounds[candidates[first].background];
        ScanParameters parameters = parameters_of(settings, candidates[first].background);
        const auto levels = mct_levels({background.image.width, background.image.height}, parameters);
        const PyramidLevel& level = levels[candidates[first].window.level];
        std::vector<GreyBuffer> octaves = make_octaves(background.image.view(), {level});
        const GreyBuffer pixels = make_level(octaves.back().view(), level.size, level.scale);
        for (std::size_t i = first; i < candidates.size() && same_level(i); ++i) {
            mined.patches[i] = patch_of(pixels.view(), candidates[i].window);
        }
    });
    return mined;
}

}  // namespace fovea
