#pragma once

#include <string>
#include <vector>

#include "lib/evaluate/recognition/identification_evaluation.hpp"
#include "lib/evaluate/recognition/permutation.hpp"
#include "lib/evaluate/recognition/verification.hpp"
#include "lib/report/page/document.hpp"
#include "lib/report/recognition/recognition_report.hpp"

namespace fovea::report {

/// "99.35 %" of rates, "0.998" of other numbers; "–" if absent.
std::string number_text(const Estimate& estimate);
/// "99.10–99.58 %"; empty if absent.
std::string interval_text(const Estimate& estimate);

// Pages, without their plots' part.
Document verification_document(const VerificationEvaluations& evaluations,
                               const RecognitionReportContext& context);
Document identification_document(const IdentificationEvaluations& evaluations,
                                 const std::optional<PermutationEvaluation>& permutations,
                                 const RecognitionReportContext& context);

}  // namespace fovea::report
