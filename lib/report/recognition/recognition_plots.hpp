#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lib/evaluate/recognition/identification_evaluation.hpp"
#include "lib/evaluate/recognition/permutation.hpp"
#include "lib/evaluate/recognition/verification.hpp"
#include "lib/report/plots/plot.hpp"

namespace fovea::report {

constexpr std::size_t max_histograms = 8;

/// ROC over the logarithm of FMR, DET on normal deviates, and a histogram of scores for each of the first
/// max_histograms recognisers.
/// \param names parallel to the evaluations. \throws Error as run_gnuplot().
std::vector<DrawnPlot> verification_plots(const std::vector<VerificationEvaluation>& evaluations,
                                          const std::vector<std::string>& names);

/// CMC, the open-set curve where there are unmated probes, and the permutations' curves where there are some.
std::vector<DrawnPlot> identification_plots(const std::vector<IdentificationEvaluation>& evaluations,
                                            const std::optional<PermutationEvaluation>& permutations,
                                            const std::vector<std::string>& names);

}  // namespace fovea::report
