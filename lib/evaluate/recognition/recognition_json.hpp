#pragma once

#include "lib/evaluate/recognition/clustering.hpp"
#include "lib/evaluate/recognition/identification_evaluation.hpp"
#include "lib/evaluate/recognition/permutation.hpp"
#include "lib/evaluate/recognition/verification.hpp"
#include "lib/json/json_fwd.hpp"

namespace fovea {

/// The `verification` object of report.json. Every statistic stands under its key with KEY_ci95 beside it;
/// what is undefined is left out. threshold_at_eer and threshold_at_far_* are what `--threshold-from` reads.
Json verification_to_json(const VerificationEvaluation& evaluation);

/// The `identification` object of report.json, in the same form; open-set numbers are in `open_set`.
Json identification_to_json(const IdentificationEvaluation& evaluation);

/// The `clustering` object of report.json, in the same form.
Json clustering_to_json(const ClusteringEvaluation& evaluation);

/// The `permutation` object of report.json. \param names of the recognisers.
Json permutation_to_json(const PermutationEvaluation& evaluation, const std::vector<std::string>& names);

}  // namespace fovea
