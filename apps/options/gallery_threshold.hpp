#pragma once

#include <optional>
#include <string>

#include "apps/terminal/cli_fwd.hpp"
#include "lib/json/json_fwd.hpp"
#include "lib/recognise/recogniser_config.hpp"

namespace fovea {

/// The flags --far and --threshold: how near a gallery's face must be so that its subject's name is given.
struct GalleryThresholdFlags {
    std::optional<double> threshold;
    std::optional<double> far;
};

/// The default false accept rate: one stranger in a thousand gets a name.
constexpr double default_search_far = 0.001;

void add_gallery_threshold_flags(CLI::App& app, GalleryThresholdFlags& flags, const std::string& group);

/// \throws UsageError for numbers out of their ranges, or both flags.
void check_gallery_threshold_flags(const GalleryThresholdFlags& flags);

/// The largest distance at which a face gets a subject's name.
struct GalleryThreshold {
    std::optional<double> distance;    ///< absent = the nearest subject's name is always given
    std::optional<double> pair_far;    ///< measured: the share of pairs of two people within the distance
    std::optional<double> search_far;  ///< at most the share of strangers whom a search names
    std::string sentence;              ///< for people: the threshold and its origin
};

/// Chooses the threshold of a gallery. A stranger is compared with every face of the gallery, and every
/// comparison may go wrong; so the rate per pair is so small that the rate of the whole search is the wanted
/// one (pair_far()). If the recogniser was not measured down to that rate, its strictest threshold is taken.
/// \param faces the number of the gallery's faces, at least 1. \throws UsageError if --far was given and no
/// threshold of the recogniser is known.
GalleryThreshold gallery_threshold(const GalleryThresholdFlags& flags, const RecogniserConfig& recogniser,
                                   std::size_t faces);

/// {"distance", "search_far", "pair_far", "origin"}; absent members are null.
Json gallery_threshold_to_json(const GalleryThreshold& threshold);

}  // namespace fovea
