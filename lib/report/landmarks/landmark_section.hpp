#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lib/evaluate/landmarks/landmarks.hpp"
#include "lib/report/page/report_context.hpp"
#include "lib/report/page/report_section.hpp"

namespace fovea::report {

/// Its references must outlive it. \throws Error if there is no evaluation.
std::unique_ptr<ReportSection> landmark_section(const Dataset& dataset,
                                                const std::vector<LandmarkEvaluation>& evaluations,
                                                const ReportContext& context, const std::string& prefix);

}  // namespace fovea::report
