#include "lib/report/landmarks/sensitivity_plots.hpp"

#include <algorithm>

#include "lib/report/plots/plot_script.hpp"

namespace fovea::report {
namespace {

using Levels = std::vector<JitterLevel> BoxSensitivity::*;

// The largest number that either plot shows.
double top_of(const std::vector<LandmarkEvaluation>& evaluations) {
    double top = 0;
    for (const LandmarkEvaluation& evaluation : evaluations) {
        if (!evaluation.sensitivity) continue;
        for (const Levels levels : {&BoxSensitivity::shifts, &BoxSensitivity::scales}) {
            for (const JitterLevel& level : (*evaluation.sensitivity).*levels) {
                const Number& mean = number_of_key(level.numbers, "mean");
                top = std::max({top, mean.value.value_or(0), mean.ci95 ? (*mean.ci95)[1] : 0,
                                number_of_key(level.numbers, "median").value.value_or(0)});
            }
        }
    }
    return top > 0 ? top : 1;
}

std::vector<CurvePoint> curve_of(const std::vector<JitterLevel>& levels, const char* key) {
    std::vector<CurvePoint> curve;
    for (const JitterLevel& level : levels) {
        const Number& number = number_of_key(level.numbers, key);
        if (number.value) curve.push_back({100 * level.amount, *number.value});
    }
    return curve;
}

std::vector<BandEdge> band_of(const std::vector<JitterLevel>& levels) {
    std::vector<BandEdge> band;
    for (const JitterLevel& level : levels) {
        const Number& mean = number_of_key(level.numbers, "mean");
        if (mean.ci95) band.push_back({100 * level.amount, (*mean.ci95)[0], (*mean.ci95)[1]});
    }
    return band;
}

DrawnPlot plot_of(const std::vector<LandmarkEvaluation>& evaluations, const std::vector<std::string>& names,
                  Levels levels, const std::string& stem, const std::string& title,
                  const std::string& x_label, const std::string& caption) {
    std::vector<PlotScript> bands;
    std::vector<PlotScript> lines;
    PlotScript script;
    for (std::size_t i = 0; i < evaluations.size(); ++i) {
        if (!evaluations[i].sensitivity) continue;
        const BoxSensitivity& sensitivity = *evaluations[i].sensitivity;
        if (bands.empty() && lines.empty()) {
            script = axis_labels(x_label, "NME by " + normaliser_title(sensitivity.normaliser)) +
                     plot_script("set yrange [0:{:.6g}]\nset format x '%g %%'\n", 1.06 * top_of(evaluations));
        }
        const std::vector<JitterLevel>& shown = sensitivity.*levels;
        if (const std::vector<BandEdge> band = band_of(shown); !band.empty()) {
            const PlotScript name = plot_script("band{}", i);
            script += band_block(name, band);
            bands.push_back(band_command(name, i));
        }
        for (const char* key : {"mean", "median"}) {
            const bool is_mean = key == std::string_view("mean");
            const PlotScript name = is_mean ? plot_script("mean{}", i) : plot_script("median{}", i);
            const PlotScript dashes = is_mean ? plot_script("dt solid") : plot_script("dt (4,3)");
            const std::vector<CurvePoint> curve = curve_of(shown, key);
            if (curve.empty()) continue;
            script += curve_block(name, curve);
            lines.push_back(plot_script("${} using 1:2 with linespoints pt 7 ps 0.5 lw 2 {} {} title {}",
                                        name, dashes, line_colour(i), key_name(names[i], 8) + ", " + key));
        }
    }
    const std::size_t rows = lines.size();
    bands.insert(bands.end(), lines.begin(), lines.end());
    return draw_plot_with_key(stem, title, caption, script + plot_command(bands), rows);
}

}  // namespace

std::vector<DrawnPlot> sensitivity_plots(const std::vector<LandmarkEvaluation>& evaluations,
                                         const std::vector<std::string>& names) {
    const bool any = std::any_of(evaluations.begin(), evaluations.end(),
                                 [](const LandmarkEvaluation& e) { return e.sensitivity.has_value(); });
    if (!any) return {};
    const std::string shade = " The shade is the 95\u00A0% interval of the mean (bootstrap over images).";
    return {plot_of(evaluations, names, &BoxSensitivity::shifts, "sensitivity_shift", "Boxes moved",
                    "Shift, % of the box",
                    "Error where annotated boxes are moved in random directions before landmarks are found." +
                        shade),
            plot_of(evaluations, names, &BoxSensitivity::scales, "sensitivity_scale", "Boxes resized",
                    "Size, % of the box",
                    "Error where annotated boxes are resized about their centre before landmarks are found." +
                        shade)};
}

}  // namespace fovea::report
