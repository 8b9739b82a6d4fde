#include "lib/report/plot_script.hpp"

#include <cmath>

#include <spdlog/fmt/fmt.h>

#include "lib/report/format.hpp"
#include "lib/report/palette.hpp"

namespace fovea::report {
namespace {

constexpr int plot_width = 560;
constexpr int wide_plot_width = 1160;
constexpr int plot_height = 380;
constexpr int key_row_height = 17;
constexpr std::size_t key_name_length = 52;

}  // namespace

std::string dash(std::size_t i) {
    const std::string dashes = series_dashes(i);
    return dashes.empty() ? "dt solid" : "dt (" + dashes + ")";
}

std::string key_name(const std::string& name, std::size_t reserved) {
    return shortened(name, key_name_length - reserved);
}

std::string prelude(std::size_t key_rows, PlotFormat format, bool wide) {
    const int width = wide ? wide_plot_width : plot_width;
    const int height = plot_height + static_cast<int>(key_rows) * key_row_height;
    // A PDF's sizes are inches: 100 pixels to one, and type of the same share of the width.
    const std::string terminal =
        format == PlotFormat::svg
            ? fmt::format("svg size {},{} dynamic noenhanced rounded font 'Helvetica,13' background '{}'",
                          width, height, palette::paper)
            : fmt::format(
                  "pdfcairo size {}in,{}in noenhanced color rounded font 'Helvetica,9' fontscale 1 "
                  "linewidth 0.75 background '{}'",
                  width / 100.0, height / 100.0, palette::paper);
    std::string script = fmt::format(
        "set encoding utf8\n"
        "set terminal {}\n"
        "set border 3 lw 1 lc rgb '{}'\n"
        "set tics nomirror out scale 0.5 tc rgb '{}'\n"
        "set grid lw 1 lt 1 lc rgb '{}'\n"
        "set format '%g'\n",
        terminal, palette::axis, palette::ink, palette::grid);
    return script + (key_rows == 0
                         ? "unset key\n"
                         : fmt::format("set key above left Left reverse maxcols 1 samplen 2.5 spacing 1.1 "
                                       "tc rgb '{}'\n",
                                       palette::ink));
}

std::string band_block(const std::string& name, const std::vector<BandEdge>& edges) {
    std::string block = "$" + name + " << END\n";
    for (const BandEdge& edge : edges) {
        block += fmt::format("{:.6g} {:.6g} {:.6g}\n", edge.x, edge.low, edge.high);
    }
    return block + "END\n";
}

std::string band_command(const std::string& name, std::size_t detector) {
    return fmt::format(
        "${} using 1:2:3 with filledcurves fs transparent solid 0.15 noborder lc rgb '{}' notitle", name,
        series_colour(detector));
}

std::string axis_labels(const std::string& x, const std::string& y) {
    return fmt::format("set xlabel '{}' tc rgb '{}'\nset ylabel '{}' offset 0.5,0 tc rgb '{}'\n", x,
                       palette::ink, y, palette::ink);
}

std::string percent_axis(char axis) {
    return fmt::format("set {0}range [0:100]\nset {0}tics 0,20,100\nset format {0} '%g %%'\n", axis);
}

std::string data_block(const std::string& name, const std::vector<CurvePoint>& points) {
    std::string block = "$" + name + " << END\n";
    for (const CurvePoint& point : points) block += fmt::format("{:.6g} {:.6g}\n", point.x, point.y);
    return block + "END\n";
}

std::string plot_command(const std::vector<std::string>& parts) {
    // gnuplot needs something to plot even if there is nothing to show.
    return "plot " +
           (parts.empty() ? std::string("NaN notitle") : fmt::format("{}", fmt::join(parts, ", \\\n     "))) +
           "\n";
}

std::string note(const std::string& text) {
    return fmt::format("set label '{}' at graph 0.5,0.5 center tc rgb '{}'\n", text, palette::axis);
}

std::vector<CurvePoint> thinned(const std::vector<CurvePoint>& curve, double x_step, double y_step) {
    std::vector<CurvePoint> kept;
    for (std::size_t i = 0; i < curve.size(); ++i) {
        const bool end = i == 0 || i + 1 == curve.size();
        const bool moved = !kept.empty() && (std::abs(curve[i].x - kept.back().x) >= x_step ||
                                             std::abs(curve[i].y - kept.back().y) >= y_step);
        if (end || moved) kept.push_back(curve[i]);
    }
    return kept;
}

}  // namespace fovea::report
