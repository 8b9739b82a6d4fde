#include "lib/report/plots/plot_script.hpp"

#include "lib/report/model/names.hpp"
#include "lib/report/model/palette.hpp"
#include "lib/report/model/xml_text.hpp"

namespace fovea::report {
namespace {

constexpr int plot_width = 560;
constexpr int wide_plot_width = 1160;
constexpr int plot_height = 380;
constexpr int key_row_height = 17;
constexpr std::size_t key_name_length = 52;

// gnuplot reads the text at a mark as a format: a % in it is doubled.
std::string tic_label(std::string_view text) {
    std::string label;
    for (const char c : text) label += c == '%' ? "%%" : std::string(1, c);
    return label;
}

}  // namespace

std::string gnuplot_quoted(std::string_view text) {
    // In single quotes nothing is expanded, but '' stands for a quote only behind another character, and the
    // search for @macro takes every quote for an end or a beginning. So quotes stand apart, by their code:
    // 'it'."\047".'s'.
    std::string quoted = "'";
    for (const char c : xml_text(text)) {
        if (c == '\'') {
            quoted += "'.\"\\047\".'";
        } else {
            quoted += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;  // a newline would end the command
        }
    }
    return quoted + "'";
}

PlotScript dash(const SeriesStyle& style) {
    PlotScript lengths;
    for (const int length : style.dashes) {
        lengths += lengths.empty() ? plot_script("{}", length) : plot_script(",{}", length);
    }
    return lengths.empty() ? plot_script("dt solid") : plot_script("dt ({})", lengths);
}

PlotScript bar_fill(const SeriesStyle& style) {
    const PlotScript colour = plot_script("lc rgb {}", series_colour(style.colour));
    if (!style.is_calibrated) return plot_script("fs solid 0.85 noborder {}", colour);
    return plot_script("fs transparent solid 0.3 border {} {}", colour, colour);
}

double axis_pixels() {
    constexpr int margins = 90;  // labels of the other axis, and a little on the right
    return plot_width - margins;
}

double label_pixels(std::string_view label) {
    constexpr double character = 7.4;  // a digit of the browsers' types at 13 pixels
    std::size_t characters = 0;
    for (const char c : label) characters += (static_cast<unsigned char>(c) & 0xC0) != 0x80 ? 1 : 0;
    return character * static_cast<double>(characters);
}

bool LabelRoom::take(double place, std::string_view label) {
    constexpr double gap = 6;
    const double centre = to_ > from_ ? (place - from_) / (to_ - from_) * axis_pixels() : 0;
    const double half = (label_pixels(label) + gap) / 2;
    for (const auto& [begin, end] : taken_) {
        if (centre + half > begin && centre - half < end) return false;
    }
    taken_.emplace_back(centre - half, centre + half);
    return true;
}

std::string key_name(const std::string& name, std::size_t reserved) {
    return shortened(name, key_name_length - reserved);
}

PlotScript prelude(std::size_t key_rows, PlotFormat format, bool wide) {
    const int width = wide ? wide_plot_width : plot_width;
    const int height = plot_height + static_cast<int>(key_rows) * key_row_height;
    // A PDF's sizes are inches: 100 pixels to one, and type of the same share of the width.
    const PlotScript terminal =
        format == PlotFormat::svg
            ? plot_script("svg size {},{} dynamic noenhanced rounded font 'Helvetica,13' background {}",
                          width, height, palette::paper)
            : plot_script(
                  "pdfcairo size {}in,{}in noenhanced color rounded font 'Helvetica,9' fontscale 1 "
                  "linewidth 0.75 background {}",
                  width / 100.0, height / 100.0, palette::paper);
    const PlotScript script = plot_script(
        "set encoding utf8\n"
        "set terminal {}\n"
        "set border 3 lw 1 lc rgb {}\n"
        "set tics nomirror out scale 0.5 tc rgb {}\n"
        "set grid lw 1 lt 1 lc rgb {}\n"
        "set format '%g'\n",
        terminal, palette::axis, palette::ink, palette::grid);
    return script + (key_rows == 0
                         ? plot_script("unset key\n")
                         : plot_script("set key above left Left reverse maxcols 1 samplen 2.5 spacing 1.1 "
                                       "tc rgb {}\n",
                                       palette::ink));
}

PlotScript data_block(const PlotScript& name, const PlotScript& rows) {
    return plot_script("${} << END\n{}END\n", name, rows);
}

PlotScript axis_labels(std::string_view x, std::string_view y) {
    return plot_script("set xlabel {} tc rgb {}\nset ylabel {} offset 0.5,0 tc rgb {}\n", x, palette::ink, y,
                       palette::ink);
}

void Tics::add(std::string_view label, const PlotScript& place) {
    marks_ +=
        plot_script("{}{} {}", marks_.empty() ? PlotScript() : plot_script(", "), tic_label(label), place);
}

void Tics::add(std::string_view label, std::string_view second_line, const PlotScript& place) {
    marks_ += plot_script("{}{}.\"\\n\".{} {}", marks_.empty() ? PlotScript() : plot_script(", "),
                          tic_label(label), tic_label(second_line), place);
}

PlotScript Tics::script() const {
    return plot_script("({})", marks_);
}

PlotScript plot_command(const std::vector<PlotScript>& parts) {
    // gnuplot needs something to plot even if there is nothing to show.
    if (parts.empty()) return plot_script("plot NaN notitle\n");
    PlotScript command;
    for (const PlotScript& part : parts) {
        command += command.empty() ? plot_script("plot {}", part) : plot_script(", \\\n     {}", part);
    }
    return command + plot_script("\n");
}

PlotScript note(std::string_view text) {
    return plot_script("set label {} at graph 0.5,0.5 center tc rgb {}\n", text, palette::axis);
}

}  // namespace fovea::report
