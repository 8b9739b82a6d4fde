#pragma once

#include <string>
#include <vector>

#include "lib/evaluate/recognition/identification_evaluation.hpp"
#include "lib/evaluate/recognition/permutation.hpp"
#include "lib/evaluate/recognition/verification.hpp"
#include "lib/report/page/document.hpp"
#include "lib/report/recognition/recognition_report.hpp"

namespace fovea::report {

// Pages, without their plots' part.
Document verification_document(const VerificationEvaluations& evaluations,
                               const RecognitionReportContext& context);
Document identification_document(const IdentificationEvaluations& evaluations,
                                 const std::optional<PermutationEvaluation>& permutations,
                                 const RecognitionReportContext& context);

}  // namespace fovea::report
