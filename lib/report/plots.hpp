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
    std::string pdf;       ///< a page of the plot's size, for papers; empty for what gnuplot does not draw
};

class PlotScript;

/// Draws a plot, once as SVG without key, once with and once as PDF. Equal scripts give equal bytes.
/// \param script gnuplot's commands behind prelude().
/// \param key_rows rows of the key; 0 for plots that need none.
/// \param wide as wide as two plots side by side.
/// \throws Error as run_gnuplot().
Plot draw_plot(const std::string& stem, const std::string& title, const std::string& caption,
               const PlotScript& script, std::size_t key_rows, bool wide = false);
/// The same for pages that have no legend of their own: the key is in every version.
Plot draw_plot_with_key(const std::string& stem, const std::string& title, const std::string& caption,
                        const PlotScript& script, std::size_t key_rows, bool wide = false);

class StagedFiles;
/// Adds STEM.svg and, where there is one, STEM.pdf of every plot. \throws Error as StagedFiles::add.
void add_plot_files(StagedFiles& files, const std::vector<Plot>& plots);

/// A curve that somebody published, drawn behind the detectors' own.
struct ReferenceCurve {
    std::string name;
    bool continuous = false;              ///< of FDDB's continuous score; else of the detection rate
    std::vector<double> rates;            ///< in [0, 1]
    std::vector<double> false_positives;  ///< parallel: totals in all images
};

/// Reads a curve: lines of `rate false_positives` with anything behind, as FDDB's result page has them; blanks or
/// commas between, '#' begins a comment, one line of headings may come first.
/// \param specification "FILE" or "NAME=FILE"; without a name it is the file's, without extension.
/// \throws UsageError if the file is not there; Error naming file and line for anything else.
ReferenceCurve read_reference_curve(const std::string& specification, bool continuous);

/// Discrete and continuous ROC, precision-recall, IoU histogram, detection rate by faces in the image and by
/// face width; all detectors in each, in the colours of series_colour(). The last two are left out where the
/// evaluation has no slices.
///
/// The bands around the curves of up to three detectors are 95 % intervals, place by place.
///
/// \param names as from display_names(), parallel to the evaluations.
/// \throws Error as run_gnuplot().
std::vector<Plot> detection_plots(const std::vector<DetectionEvaluation>& evaluations,
                                  const std::vector<std::string>& names,
                                  const std::vector<ReferenceCurve>& references = {});

/// Slices of the evaluation that hold faces.
std::vector<SliceRate> filled_slices(const std::vector<SliceRate>& slices);
/// The slice of `slices` with the same limits, or none.
const SliceRate* same_slice(const std::vector<SliceRate>& slices, const SliceRate& wanted);

}  // namespace fovea::report
