#include "lib/detect/detector_options.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <spdlog/fmt/fmt.h>

#include "lib/core/error.hpp"

namespace fovea {
namespace {

std::optional<OptionProblem> find_size_problem(const char* option, Size size) {
    if (size.width >= 0 && size.height >= 0) return std::nullopt;
    return OptionProblem{option, "a width and a height of at least 0 (0 = no limit), but is " +
                                     std::to_string(size.width) + "x" + std::to_string(size.height)};
}

// Those that say how a cascade scans and groups.
void refuse_scan_options(const DetectorOptions& options, const std::string& kind) {
    const DetectorOptions none;
    const char* const given = options.scale_factor                      ? "scale_factor"
                              : options.min_neighbors                   ? "min_neighbors"
                              : options.border != none.border           ? "border"
                              : options.raw                             ? "raw"
                              : options.start_scale != none.start_scale ? "start_scale"
                              : options.step != none.step               ? "step"
                                                                        : nullptr;
    if (given != nullptr) {
        throw UsageError(kind + " scan no windows and group none: leave out '" + given +
                         "', or name a cascade, e.g. --model mct");
    }
    if (options.score != ScoreKind::automatic && options.score != ScoreKind::confidence) {
        throw UsageError(kind + " have no score but their confidence: use the score auto or confidence");
    }
}

}  // namespace

std::optional<OptionProblem> find_option_problem(const DetectorOptions& options) {
    // A factor this close to 1 would scan each pixel of size apart hundreds of times over. Not a number is
    // out of the range too.
    const double factor = options.scale_factor.value_or(1.1);
    if (!(factor >= 1.001 && factor <= 1000)) {
        return OptionProblem{"scale_factor", fmt::format("between 1.001 and 1000, but is {}", factor)};
    }
    if (options.min_neighbors.value_or(0) < 0) {
        return OptionProblem{"min_neighbors", "at least 0, but is " + std::to_string(*options.min_neighbors)};
    }
    // A quarter of a pixel a pixel is far below what any image resolves, and 16 times its pixels.
    if (!(options.start_scale >= 0.25 && options.start_scale <= 1000)) {
        return OptionProblem{"start_scale",
                             fmt::format("between 0.25 and 1000, but is {}", options.start_scale)};
    }
    if (options.step < 1 || options.step > 24) {
        return OptionProblem{"step", "between 1 and 24, but is " + std::to_string(options.step)};
    }
    if (options.border < 0 || options.border > max_detector_border) {
        return OptionProblem{
            "border", fmt::format("between 0 and {} pixels, but is {}", max_detector_border, options.border)};
    }
    if (options.min_score && !std::isfinite(*options.min_score)) {
        return OptionProblem{"min_score", fmt::format("a finite number, but is {}", *options.min_score)};
    }
    if (auto problem = find_size_problem("min_size", options.min_size)) return problem;
    return find_size_problem("max_size", options.max_size);
}

void check_options(const DetectorOptions& options) {
    if (const auto problem = find_option_problem(options)) {
        throw UsageError("the detector's option '" + problem->option + "' must be " + problem->expected);
    }
}

DetectorTraits network_traits(std::string kind, double min_score) {
    DetectorTraits traits;
    traits.kind = std::move(kind);
    traits.score = ScoreKind::confidence;
    traits.has_confidence = true;
    traits.in_opencv = false;
    traits.is_cascade = false;
    traits.min_score = min_score;
    return traits;
}

DetectorOptions resolve_options(const DetectorOptions& options, const DetectorTraits& traits,
                                double min_confidence) {
    check_options(options);
    DetectorOptions resolved = options;
    if (!traits.is_cascade) {
        refuse_scan_options(options, traits.kind);
        resolved.score = traits.score;
        if (!resolved.min_score) resolved.min_score = std::max(min_confidence, traits.min_score);
        return resolved;
    }
    if (!resolved.scale_factor) resolved.scale_factor = traits.scale_factor;
    if (!resolved.min_neighbors) resolved.min_neighbors = traits.min_neighbors;
    if (resolved.score == ScoreKind::automatic) resolved.score = traits.score;
    if (resolved.score == ScoreKind::confidence && !traits.has_confidence) {
        throw UsageError(traits.kind + " have no confidence: use the score neighbors or stage_sum");
    }
    if (!traits.free_grid && options.start_scale != 1) {
        throw UsageError(traits.kind +
                         " are scanned from scale 1 on, as OpenCV does: leave out 'start_scale', or "
                         "use min_size");
    }
    if (!traits.free_grid && options.step != 1) {
        throw UsageError(traits.kind + " are scanned with OpenCV's own steps: leave out 'step'");
    }
    // A raw window's score is its sum, whatever the score of groups is.
    const bool confident = resolved.score == ScoreKind::confidence && !resolved.raw;
    if (confident && !resolved.min_score) resolved.min_score = min_confidence;
    return resolved;
}

}  // namespace fovea
