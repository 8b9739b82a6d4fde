#include "lib/report/detection/recall_plot.hpp"

#include "lib/report/html/palette.hpp"

namespace fovea::report {

PlotScript recall_false_share_script(const Evaluations& evaluations, const Names& names) {
    PlotScript script = axis_labels("1 - precision", "Recall (detection rate)") +
                        percent_axis(plot_script("x")) + percent_axis(plot_script("y")) +
                        curve_block(plot_script("equal"), {{0, 100}, {100, 0}});
    std::vector<PlotScript> parts{
        plot_script("$equal using 1:2 with lines lw 1.2 dt (4,3) lc rgb {} notitle", palette::axis)};
    const std::vector<SeriesStyle> styles = series_styles(names);
    bool anything = false;
    for (std::size_t i = 0; i < evaluations.size(); ++i) {
        std::vector<CurvePoint> curve;
        for (const RocPoint& point : evaluations[i].roc) {
            // Where only ignored objects are hit, nothing counts and precision is undefined.
            if (point.true_positives + point.false_positives == 0) continue;
            curve.push_back({100 * (1 - point.precision), 100 * point.detection_rate});
        }
        const PlotScript colour = line_colour(styles[i]);
        if (curve.empty()) {
            parts.push_back(plot_script("NaN with lines lw 2 {} {} title {}", dash(styles[i]), colour,
                                        key_name(names[i])));
            continue;
        }
        anything = true;
        script += curve_block(plot_script("curve{}", i), thinned(curve, 0.1, 0.1));
        script += curve_block(plot_script("end{}", i), {curve.back()});
        parts.push_back(plot_script("$curve{} using 1:2 with lines lw 2 {} {} title {}", i, dash(styles[i]),
                                    colour, key_name(names[i])));
        parts.push_back(plot_script("$end{} using 1:2 with points pt 7 ps 0.7 {} notitle", i, colour));
    }
    if (!anything) script += note("no detections");
    return script + plot_command(parts);
}

}  // namespace fovea::report
