#pragma once

#include <string>
#include <vector>

#include "lib/dataset/dataset.hpp"
#include "lib/evaluate/analysis/detection_analysis.hpp"
#include "lib/report/page/document.hpp"

namespace fovea::report {

/// The sections of a report that explain one detector's errors: kinds, confusion counts at the operating
/// point, conditions (slices), reliability of scores, worst images. Sections without content are left out.
///
/// \param plots as from analysis_plots(); shown in the sections that they belong to.
/// \param detector its name where the report shows several; empty for one.
std::vector<DocumentPart> analysis_parts(const Dataset& dataset, const DetectionAnalysis& analysis,
                                         const std::vector<Plot>& plots, const std::string& detector);

}  // namespace fovea::report
