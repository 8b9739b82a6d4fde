#pragma once

#include <string>
#include <vector>

#include "lib/dataset/dataset.hpp"
#include "lib/evaluate/analysis/detection_analysis.hpp"
#include "lib/report/page/document.hpp"

namespace fovea::report {

/// The content of the sections; at least one detector.
struct DetectorAnalyses {
    const std::vector<DetectionAnalysis>& analyses;
    const std::vector<std::string>& names;  ///< parallel to analyses
    const std::vector<DrawnPlot>& plots;    ///< as from analysis_plots(); shown where they belong to
};

/// The sections of a report that explain detectors' errors: kinds, confusion counts at the operating point,
/// conditions (slices), reliability of scores, fit of boxes, worst images. All tell about every detector: in
/// rows or columns, else in a folded part for each. Sections without content are empty.
std::vector<DocumentPart> analysis_parts(const Dataset& dataset, const DetectorAnalyses& of);

}  // namespace fovea::report
