#include "lib/train/mct/mine.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <tbb/parallel_for.h>

#include "kernels/mct/pyramid.hpp"
#include "lib/evaluate/detection/match.hpp"
#include "lib/train/counter_random.hpp"

namespace fovea {
namespace {

struct Candidate {
    std::uint64_t order = 0;
    std::size_t background = 0;
    CascadeWindow window;

    bool operator<(const Candidate& other) const { return order < other.order; }
};

// Keeps the `count` first of a random order.
void keep_first(std::vector<Candidate>& candidates, std::size_t count) {
    if (candidates.size() <= count) return;
    std::nth_element(candidates.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(count),
                     candidates.end());
    candidates.resize(count);
}

bool is_face(const Background& background, const PyramidLevel& level, const CascadeWindow& window,
             double max_iou) {
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

// Every round sees other scales than the one before.
ScanParameters parameters_of(const MiningSettings& settings) {
    ScanParameters parameters;
    parameters.scale_factor = settings.scale_factor;
    parameters.start_scale = std::pow(settings.scale_factor, unit_interval(settings.seed * 7919));
    return parameters;
}

std::uint64_t windows_of(const std::vector<PyramidLevel>& levels) {
    std::uint64_t count = 0;
    for (const PyramidLevel& level : levels) {
        count += std::uint64_t(level.windows_per_row()) * std::uint64_t(level.window_rows());
    }
    return count;
}

std::vector<PyramidLevel> levels_of(const Background& background, const ScanParameters& parameters) {
    return mct_levels({background.image.width, background.image.height}, parameters);
}

// Which backgrounds are searched, and how finely.
struct Search {
    ScanParameters parameters;
    std::vector<std::size_t> backgrounds;
};

// The search is thinned if more windows are expected to pass than are wanted: to every third of a row and
// column if there are far more, then to a random part of the backgrounds, at least an eighth. Diversity goes
// before number.
Search plan_search(const std::vector<Background>& backgrounds, const MiningSettings& settings) {
    Search search{parameters_of(settings), {}};
    std::uint64_t windows = 0;
    for (const Background& background : backgrounds)
        windows += windows_of(levels_of(background, search.parameters));
    const double wanted = 4.0 * static_cast<double>(std::max<std::size_t>(settings.count, 1));
    const double surplus = static_cast<double>(windows) * settings.expected_pass_rate / wanted;
    search.parameters.step = surplus >= 9 ? 3 : 1;
    const double share = std::clamp(search.parameters.step * search.parameters.step / surplus, 0.125, 1.0);
    for (std::size_t b = 0; b < backgrounds.size(); ++b) {
        if (unit_interval(settings.seed ^ mixed(b)) < share) search.backgrounds.push_back(b);
    }
    // A part of few images may be none of them.
    constexpr std::size_t min_images = 8;
    if (search.backgrounds.size() < std::min(min_images, backgrounds.size())) {
        search.backgrounds.resize(backgrounds.size());
        std::iota(search.backgrounds.begin(), search.backgrounds.end(), std::size_t{0});
    }
    return search;
}

std::vector<Candidate> candidates_in(const Background& background, std::size_t index,
                                     const std::vector<CascadeWindow>& windows,
                                     const ScanParameters& parameters, const MiningSettings& settings) {
    const auto levels = levels_of(background, parameters);
    std::vector<Candidate> candidates;
    for (const CascadeWindow& window : windows) {
        if (is_face(background, levels[window.level], window, settings.max_face_iou)) continue;
        const std::uint64_t place = (std::uint64_t(index) << 44) ^ (std::uint64_t(window.level) << 38) ^
                                    (std::uint64_t(window.y) << 19) ^ std::uint64_t(window.x);
        candidates.push_back({mixed(place ^ mixed(settings.seed)), index, window});
    }
    return candidates;
}

std::vector<MctPatch> cut_patches(const std::vector<Candidate>& candidates,
                                  const std::vector<Background>& backgrounds,
                                  const ScanParameters& parameters) {
    std::vector<MctPatch> patches(candidates.size());
    tbb::parallel_for(std::size_t{0}, candidates.size(), [&](std::size_t first) {
        // One task makes the patches of a level: that of the first candidate on it.
        const auto same_level = [&](std::size_t i) {
            return candidates[i].background == candidates[first].background &&
                   candidates[i].window.level == candidates[first].window.level;
        };
        if (first > 0 && same_level(first - 1)) return;
        const Background& background = backgrounds[candidates[first].background];
        const PyramidLevel level = levels_of(background, parameters)[candidates[first].window.level];
        const std::vector<GreyBuffer> octaves = make_octaves(background.image.view(), {level});
        const GreyBuffer pixels = make_level(octaves.back().view(), level.size, level.scale);
        for (std::size_t i = first; i < candidates.size() && same_level(i); ++i) {
            patches[i] = patch_of(pixels.view(), candidates[i].window);
        }
    });
    return patches;
}

}  // namespace

MinedNegatives mine_negatives(CascadeEngine& engine, const std::vector<Background>& backgrounds,
                              const MiningSettings& settings, const CountProgress& progress) {
    const Search search = plan_search(backgrounds, settings);
    constexpr std::size_t batch_images = 32;
    MinedNegatives mined;
    std::vector<Candidate> candidates;
    for (std::size_t first = 0; first < search.backgrounds.size(); first += batch_images) {
        const std::size_t end = std::min(first + batch_images, search.backgrounds.size());
        std::vector<ImageView<const std::uint8_t>> images;
        for (std::size_t i = first; i < end; ++i) {
            const Background& background = backgrounds[search.backgrounds[i]];
            images.push_back(background.image.view());
            mined.windows_searched += windows_of(levels_of(background, search.parameters));
        }
        const std::vector<CascadeResult> found = engine.detect(images, {search.parameters, 0});
        for (std::size_t i = first; i < end; ++i) {
            const std::size_t index = search.backgrounds[i];
            std::vector<Candidate> here = candidates_in(backgrounds[index], index, found[i - first].windows,
                                                        search.parameters, settings);
            mined.windows_passed += here.size();
            keep_first(here, settings.max_per_image);
            candidates.insert(candidates.end(), here.begin(), here.end());
        }
        if (progress) progress(end, search.backgrounds.size());
    }
    keep_first(candidates, settings.count);
    std::sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
        return a.background != b.background ? a.background < b.background : comes_before(a.window, b.window);
    });
    mined.patches = cut_patches(candidates, backgrounds, search.parameters);
    return mined;
}

}  // namespace fovea
