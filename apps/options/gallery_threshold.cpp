#include "apps/options/gallery_threshold.hpp"

#include <cmath>

#include <CLI/CLI.hpp>
#include <spdlog/fmt/fmt.h>
#include <spdlog/spdlog.h>

#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/json/json.hpp"

namespace fovea {
namespace {

// "0.1 %", "0.00091 %"
std::string rate_in_percent(double rate) {
    return fmt::format("{:.2g} %", 100 * rate);
}

}  // namespace

void add_gallery_threshold_flags(CLI::App& app, GalleryThresholdFlags& flags, const std::string& group) {
    app.add_option("--far", flags.far,
                   fmt::format("False accept rate: the share of strangers that a search in the gallery may "
                               "name (default {}; 1 = everybody gets the nearest subject's name)",
                               default_search_far))
        ->type_name("RATE")
        ->group(group);
    app.add_option("--threshold", flags.threshold,
                   "Name nobody at a larger distance (default: as --far and the recogniser's file say)")
        ->type_name("T")
        ->group(group);
}

void check_gallery_threshold_flags(const GalleryThresholdFlags& flags) {
    if (flags.threshold && flags.far) throw UsageError("--far and --threshold exclude each other");
    if (flags.threshold && !std::isfinite(*flags.threshold)) {
        throw UsageError("--threshold must be a finite distance");
    }
    if (flags.far && !(*flags.far > 0 && *flags.far <= 1)) {
        throw UsageError("--far is a share above 0 and up to 1, e.g. 0.001 for one stranger in a thousand");
    }
}

GalleryThreshold gallery_threshold(const GalleryThresholdFlags& flags, const RecogniserConfig& recogniser,
                                   std::size_t faces) {
    check_gallery_threshold_flags(flags);
    GalleryThreshold chosen;
    if (flags.threshold) {
        chosen.distance = flags.threshold;
        chosen.sentence = "threshold: " + shortest_number(*flags.threshold) + ", as given";
        return chosen;
    }
    if (flags.far == 1) {
        chosen.sentence = "no threshold: everybody gets the nearest subject's name";
        return chosen;
    }
    const FarThresholds known = known_thresholds(recogniser);
    if (known.empty()) {
        const std::string what = "no threshold of the recogniser '" + recogniser.name + "' is known";
        if (flags.far) {
            throw UsageError("--far: " + what +
                             "; give a distance with --threshold, or measure thresholds with 'fovea train "
                             "thresholds' and enroll with the recogniser's new file");
        }
        chosen.sentence = what + ": everybody gets the nearest subject's name";
        spdlog::warn(
            "{}, so strangers are named, too; give a distance with --threshold, or measure thresholds with "
            "'fovea train thresholds' and enroll with the recogniser's new file",
            what);
        return chosen;
    }
    const double wanted = flags.far.value_or(default_search_far);
    const std::optional<FarThreshold> point = threshold_at_far(known, pair_far(wanted, faces));
    const FarThreshold& taken = point ? *point : known.points.back();
    chosen.distance = taken.distance;
    chosen.pair_far = taken.far;
    chosen.search_far = search_far(taken.far, faces);
    // A little more than was asked for stands in the summary alone.
    if (!point && *chosen.search_far > 2 * wanted) {
        spdlog::warn(
            "no threshold of '{}' is strict enough for a false accept rate of {} among {}; the strictest is "
            "taken, at which up to {} of the strangers are named",
            recogniser.name, rate_in_percent(wanted), counted(faces, "face"),
            rate_in_percent(*chosen.search_far));
    }
    chosen.sentence = fmt::format(
        "threshold: {:.6g}; of strangers, at most {} are named by a search among {} ({} of pairs; {} was "
        "measured on {})",
        taken.distance, rate_in_percent(*chosen.search_far), counted(faces, "face"),
        rate_in_percent(taken.far), recogniser.name, known.origin);
    return chosen;
}

Json gallery_threshold_to_json(const GalleryThreshold& threshold) {
    const auto number = [](const std::optional<double>& value) { return value ? Json(*value) : Json(); };
    return {{"distance", number(threshold.distance)},
            {"search_far", number(threshold.search_far)},
            {"pair_far", number(threshold.pair_far)},
            {"origin", threshold.sentence}};
}

}  // namespace fovea
