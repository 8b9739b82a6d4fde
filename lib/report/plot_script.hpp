#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "lib/evaluate/detection.hpp"

namespace fovea::report {

using Evaluations = std::vector<DetectionEvaluation>;
using Names = std::vector<std::string>;

struct CurvePoint {
    double x = 0;
    double y = 0;
};
/// A curve without the points that no eye can tell from their neighbours; keeps the first and the last.
std::vector<CurvePoint> thinned(const std::vector<CurvePoint>& curve, double x_step, double y_step);

// Pieces of gnuplot scripts that the plots share.

enum class PlotFormat { svg, pdf };

/// Terminal, colours, axes and grid; the key above the plot, a row a detector. \param wide as wide as two plots
/// side by side.
std::string prelude(std::size_t key_rows, PlotFormat format = PlotFormat::svg, bool wide = false);
/// The labels are put in single quotes as they are.
std::string axis_labels(const std::string& x, const std::string& y);
/// Of axis 'x' or 'y': 0 to 100 %.
std::string percent_axis(char axis);
/// The i-th detector's dashes, as a line's option.
std::string dash(std::size_t i);
/// A name as the key shows it: shortened, and by `reserved` characters more.
std::string key_name(const std::string& name, std::size_t reserved = 0);
/// The points as the data "$name".
std::string data_block(const std::string& name, const std::vector<CurvePoint>& points);
std::string plot_command(const std::vector<std::string>& parts);
/// The area between the lower and upper ends of a band, as the data "$name", and the command that draws it in the i-th
/// detector's colour.
struct BandEdge {
    double x = 0;
    double low = 0;
    double high = 0;
};
std::string band_block(const std::string& name, const std::vector<BandEdge>& edges);
std::string band_command(const std::string& name, std::size_t detector);
/// A text in the middle of the plot.
std::string note(const std::string& text);

using Slices = std::vector<SliceRate> DetectionEvaluation::*;
using SliceLabel = std::string (*)(const SliceRate&);

/// Detection rate by slice with Wilson's intervals: bars side by side for up to `most_with_bars` detectors,
/// marked lines without intervals for more.
constexpr std::size_t most_with_bars = 3;
std::string slice_script(const Evaluations& evaluations, const Names& names, Slices slices, SliceLabel label,
                         const std::string& x_label);

}  // namespace fovea::report
