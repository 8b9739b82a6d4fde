#pragma once

#include <string>
#include <vector>

#include "lib/evaluate/detection.hpp"

namespace fovea::report {

/// A plot, drawn.
struct Plot {
    std::string stem;  ///< file name without ".svg"; also the prefix of its ids in the page
    std::string title;
    std::string caption;  ///< what one sees, in a sentence or two
    std::string svg;      ///< a document of its own, see tidy_svg(); with a key if it shows several detectors
    std::string bare_svg;  ///< the same without key, for pages that have one legend for all plots
};

/// Discrete and continuous ROC, precision-recall, IoU histogram, detection rate by faces in the image and by
/// face width; all detectors in each, in the colours of series_colour(). The last two are left out where the
/// evaluation has no slices.
///
/// \param names as from display_names(), parallel to the evaluations.
/// \throws Error as run_gnuplot().
std::vector<Plot> detection_plots(const std::vector<DetectionEvaluation>& evaluations,
                                  const std::vector<std::string>& names);

/// Slices of the evaluation that hold faces.
std::vector<SliceRate> filled_slices(const std::vector<SliceRate>& slices);
/// The slice of `slices` with the same limits, or none.
const SliceRate* same_slice(const std::vector<SliceRate>& slices, const SliceRate& wanted);

}  // namespace fovea::report
