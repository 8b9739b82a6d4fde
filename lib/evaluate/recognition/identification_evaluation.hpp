#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lib/evaluate/recognition/identification.hpp"
#include "lib/evaluate/recognition/open_set.hpp"
#include "lib/evaluate/recognition/verification.hpp"

namespace fovea {

/// The open-set part of an identification experiment.
struct OpenSetEvaluation {
    Numbers estimates;                ///< OpenSetCurve's but for the band
    std::vector<OpenSetPoint> curve;  ///< thresholds as the recogniser gives its scores
    std::vector<RateBand> band;       ///< of FNIR with rank limit 1, by FPIR
};

/// Everything that is known of a recogniser's searches (1:N identification).
struct IdentificationEvaluation {
    std::string name;
    IdentificationOptions options;
    std::size_t gallery_images = 0;
    std::size_t gallery_subjects = 0;
    std::size_t probes = 0;
    std::size_t mated = 0;           ///< probes whose subject is in the gallery
    std::size_t gallery_failed = 0;  ///< images that could not be enrolled
    std::size_t probes_failed = 0;
    /// Mated probes without a rank, because they or their mates could not be enrolled.
    std::size_t mated_not_found = 0;
    std::size_t tied = 0;       ///< mated probes whose mate shares its score with another subject
    Numbers estimates;          ///< IdentificationCurve's but for the band
    std::vector<CmcPoint> cmc;  ///< every rank; empty without mated probes
    std::optional<OpenSetEvaluation> open_set;  ///< absent without unmated probes
    std::string units_sha256;                   ///< stands for which gallery and probes these are
    std::vector<ProbeSearch> searches;          ///< of the probes
    std::vector<std::string> warnings;

    /// \throws std::out_of_range for a key that is none of the statistics'.
    const Number& estimate(const std::string& key) const;
};

/// Evaluates searches: the closed set with the probes that have a mate in the gallery (identification.hpp),
/// the open set with the other probes, too (open_set.hpp).
///
/// \param scores similarities. Distances were negated; `options.distance` then turns thresholds back.
/// \throws Error without probes or without gallery.
IdentificationEvaluation evaluate_identification(const IdentificationSet& set, const SimilarityMatrix& scores,
                                                 const IdentificationOptions& options,
                                                 const std::string& name, const ShareProgress& progress = {});

}  // namespace fovea
