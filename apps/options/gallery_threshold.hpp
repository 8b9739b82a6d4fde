#pragma once

#include <optional>
#include <string>

#include "apps/terminal/cli_fwd.hpp"
#include "lib/json/json_fwd.hpp"
#include "lib/recognise/recogniser_config.hpp"

namespace fovea {

/// How near a face of a gallery must be for its subject's name to be taken: the flags --far and --threshold.
struct GalleryThresholdFlags {
    std::optional<double> threshold;
    std::optional<double> far;
};

/// The false accept rate where none is asked for: one stranger in a thousand is named.
constexpr double default_search_far = 0.001;

void add_gallery_threshold_flags(CLI::App& app, GalleryThresholdFlags& flags, const std::string& group);

/// \throws UsageError for numbers out of their ranges, or both flags.
void check_gallery_threshold_flags(const GalleryThresholdFlags& flags);

/// The largest distance at which a face is given a name.
struct GalleryThreshold {
    std::optional<double> distance;    ///< absent = the nearest is always taken
    std::optional<double> pair_far;    ///< measured: the share of pairs of two people within it
    std::optional<double> search_far;  ///< the share of strangers who are named by a search, at most
    std::string sentence;              ///< for people: what the threshold is, and where it is from
};

/// Chooses it. A stranger is compared with every face of the gallery, and every comparison may go wrong: the
/// rate of a pair that is taken is so small that the rate of the whole search is the one asked for
/// (pair_far()). The recogniser's strictest threshold is taken if it was not measured down to that rate.
/// \param faces of the gallery, at least 1. \throws UsageError if --far was given and no threshold of the
/// recogniser is known.
GalleryThreshold gallery_threshold(const GalleryThresholdFlags& flags, const RecogniserConfig& recogniser,
                                   std::size_t faces);

/// {"distance", "search_far", "pair_far", "origin"}, null where absent.
Json gallery_threshold_to_json(const GalleryThreshold& threshold);

}  // namespace fovea
