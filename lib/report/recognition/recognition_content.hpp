#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lib/report/model/plot.hpp"
#include "lib/report/model/report.hpp"
#include "lib/report/recognition/recognition_report.hpp"

namespace fovea::report {

/// The names of evaluations, in their order.
template <class Evaluations>
std::vector<std::string> evaluation_names(const Evaluations& evaluations) {
    std::vector<std::string> names;
    for (const auto& evaluation : evaluations) names.push_back(evaluation.name);
    return names;
}

/// The content of reports, but for their titles.
Report verification_content(const VerificationEvaluations& evaluations,
                            const RecognitionReportContext& context);
Report identification_content(const IdentificationEvaluations& evaluations,
                              const std::optional<PermutationEvaluation>& permutations,
                              const RecognitionReportContext& context);
Report clustering_content(const ClusteringEvaluations& evaluations, const RecognitionReportContext& context);

constexpr std::size_t max_histograms = 8;

/// ROC over the logarithm of FMR, DET on normal deviates, and a histogram of scores for each of the first
/// max_histograms recognisers.
std::vector<Plot> verification_plots(const VerificationEvaluations& evaluations);
/// CMC, the open-set curve where there are unmated probes, and the permutations' curves where there are some.
std::vector<Plot> identification_plots(const IdentificationEvaluations& evaluations,
                                       const std::optional<PermutationEvaluation>& permutations);

}  // namespace fovea::report
