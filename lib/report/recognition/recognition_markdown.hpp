#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lib/report/page/document.hpp"
#include "lib/report/recognition/recognition_report.hpp"

namespace fovea::report {

// report.md of recognisers, see markdown.hpp. \param document has the title and the protocol.

/// Pairs and failures to enrol, the numbers with their intervals, and thresholds.
std::string verification_markdown(const VerificationEvaluations& evaluations,
                                  const RecognitionReportContext& context, const Document& document,
                                  const std::vector<DrawnPlot>& plots);

/// Probes, gallery and failures to enrol, the numbers of the closed and the open set, and permutations.
std::string identification_markdown(const IdentificationEvaluations& evaluations,
                                    const std::optional<PermutationEvaluation>& permutations,
                                    const RecognitionReportContext& context, const Document& document,
                                    const std::vector<DrawnPlot>& plots);

}  // namespace fovea::report
