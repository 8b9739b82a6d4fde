#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "lib/files/staged_files.hpp"

namespace fovea::report {

/// A plot, drawn.
struct DrawnPlot {
    std::string stem;  ///< file name without ".svg"; also the prefix of its ids in the page
    std::string title;
    std::string caption;  ///< what one sees, in a sentence or two
    std::string svg;      ///< a document of its own, see tidy_svg(); with a key if it shows several detectors
    std::string bare_svg;  ///< the same without key, for pages that have one legend for all plots
    std::string pdf;       ///< a page of the plot's size, for papers; empty for what gnuplot does not draw
    bool wide = false;     ///< as wide as two plots side by side
};

class PlotScript;

/// Draws a plot, once as SVG without key, once with and once as PDF. Equal scripts give equal bytes.
/// \param script gnuplot's commands behind prelude().
/// \param key_rows rows of the key; 0 for plots that need none.
/// \param wide as wide as two plots side by side.
/// \throws Error as run_gnuplot().
DrawnPlot draw_plot(const std::string& stem, const std::string& title, const std::string& caption,
                    const PlotScript& script, std::size_t key_rows, bool wide = false);
/// The same for pages that have no legend of their own: the key is in every version.
DrawnPlot draw_plot_with_key(const std::string& stem, const std::string& title, const std::string& caption,
                             const PlotScript& script, std::size_t key_rows, bool wide = false);

/// Adds STEM.svg and, where there is one, STEM.pdf of every plot. \throws Error as StagedFiles::add.
void add_plot_files(StagedFiles& files, const std::vector<DrawnPlot>& plots);

}  // namespace fovea::report
