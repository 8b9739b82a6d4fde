#include <algorithm>
#include <iterator>

#include "lib/core/text.hpp"
#include "lib/evaluate/statistics/wilson_interval.hpp"
#include "lib/report/detection/detection_plots.hpp"
#include "lib/report/html/format.hpp"
#include "lib/report/html/palette.hpp"
#include "lib/report/plots/plot_script.hpp"

namespace fovea::report {

std::vector<SliceRate> filled_slices(const std::vector<SliceRate>& slices) {
    std::vector<SliceRate> filled;
    std::copy_if(slices.begin(), slices.end(), std::back_inserter(filled),
                 [](const SliceRate& slice) { return slice.faces > 0; });
    return filled;
}

const SliceRate* same_slice(const std::vector<SliceRate>& slices, const SliceRate& wanted) {
    const auto found = std::find_if(slices.begin(), slices.end(), [&](const SliceRate& slice) {
        return slice.from == wanted.from && slice.to == wanted.to;
    });
    return found == slices.end() ? nullptr : &*found;
}

PlotScript slice_script(const Evaluations& evaluations, const Names& names, Slices slices, SliceLabel label,
                        std::string_view x_label) {
    const std::vector<SliceRate> shown = filled_slices(evaluations[0].*slices);
    const std::size_t n = evaluations.size();
    const bool bars = n <= max_with_bars;
    const std::vector<SeriesStyle> styles = series_styles(names);
    // A long count stands alone, without "n =".
    const double slot = axis_pixels() / static_cast<double>(std::max<std::size_t>(1, shown.size()));
    const bool has_room = std::all_of(shown.begin(), shown.end(), [&](const SliceRate& slice) {
        return label_pixels("n = " + grouped(slice.faces) + "  ") < slot;
    });
    Tics tics;
    for (std::size_t s = 0; s < shown.size(); ++s) {
        tics.add(label(shown[s]), (has_room ? "n = " : "") + grouped(shown[s].faces), plot_script("{}", s));
    }
    PlotScript script = axis_labels(x_label, "Detection rate") + percent_axis(plot_script("y")) +
                        plot_script(
                            "set xlabel offset 0,-0.7\nset bmargin 4.6\nset xrange [-0.6:{:.6g}]\n"
                            "set grid noxtics ytics\nset xtics scale 0 offset 0,0.2 {}\n",
                            static_cast<double>(shown.size()) - 0.4, tics.script());

    std::vector<PlotScript> parts;
    const double width = 0.76 / static_cast<double>(n);
    for (std::size_t i = 0; i < n; ++i) {
        PlotScript rows;
        for (std::size_t s = 0; s < shown.size(); ++s) {
            const SliceRate* slice = same_slice(evaluations[i].*slices, shown[s]);
            if (slice == nullptr) continue;
            const double offset =
                bars ? width * (static_cast<double>(i) - static_cast<double>(n - 1) / 2) : 0;
            const Interval interval = wilson_interval(slice->found, slice->faces);
            rows += plot_script("{:.6g} {:.6g} {:.6g} {:.6g}\n", static_cast<double>(s) + offset,
                                100 * slice->detection_rate, 100 * interval[0], 100 * interval[1]);
        }
        script += data_block(plot_script("slices{}", i), rows);
        const std::string title = key_name(names[i]);
        if (bars) {
            parts.push_back(plot_script("$slices{} using 1:2:({:.6g}) with boxes {} title {}", i,
                                        width * 0.92, bar_fill(styles[i]), title));
            parts.push_back(
                plot_script("$slices{} using 1:3:(0):($4-$3) with vectors nohead lw 1.2 lc rgb {} notitle", i,
                            palette::ink));
        } else {
            parts.push_back(
                plot_script("$slices{} using 1:2 with linespoints pt {} ps 0.7 lw 2 {} {} title {}", i,
                            5 + 2 * (styles[i].colour % 5), dash(styles[i]), line_colour(styles[i]), title));
        }
    }
    return script + plot_command(parts);
}

}  // namespace fovea::report
