#pragma once

#include <string>
#include <vector>

#include "lib/evaluate/analysis/detection_analysis.hpp"
#include "lib/evaluate/detection/detection.hpp"
#include "lib/report/page/report_context.hpp"
#include "lib/report/page/report_part.hpp"

namespace fovea::report {

/// Detectors that were evaluated on the same images.
struct DetectorsCompared {
    const Dataset& dataset;
    const std::vector<DetectionEvaluation>& evaluations;
    /// Parallel to evaluations, like the analyses.
    std::vector<std::string> names;
    std::vector<DetectionAnalysis> analyses;
    const ReportContext& context;

    bool is_single() const { return evaluations.size() == 1; }
};

/// The content of a report on detectors. Cuts pictures and warns where some are missing.
PartContent detection_content(const DetectorsCompared& detectors);

// The parts of detection_content().

/// One paragraph: what was evaluated on what, and what came out.
Text detection_lead(const DetectorsCompared& detectors);
/// Tiles of a single detector, or the comparison of several: by the protocol's own numbers where it has some.
std::vector<Block> detection_headline(const DetectorsCompared& detectors);
/// All numbers, in rows.
Section numbers_section(const DetectorsCompared& detectors);
/// The protocol's own numbers in all modes; empty for protocols without.
Section protocol_section(const DetectorsCompared& detectors);
/// Thresholds of interest of each detector, and those fixed on another run.
Section operating_points_section(const DetectorsCompared& detectors);
/// Detection rate by slice at each detector's operating point; empty without slices.
Section slices_section(const DetectorsCompared& detectors);
/// The sections that explain errors: kinds, confusion counts, slices, scores, fit of boxes, worst images.
std::vector<Section> analysis_sections(const DetectorsCompared& detectors);
/// Misses and false positives. \param missing receives missing_pictures().
Section pictures_section(const DetectorsCompared& detectors, std::string& missing);

/// Adds all evaluated images with their faces and each detector's detections, for the page's browser:
/// samples.js and pictures/*.jpg, within the context's limits. \return the address of samples.js; empty if no
/// pictures are wanted.
std::string add_samples(StagedFiles& files, const DetectorsCompared& of);

}  // namespace fovea::report
