#include "lib/report/write/figure_files.hpp"

#include <tbb/parallel_for.h>

#include "lib/report/plots/figure_script.hpp"
#include "lib/report/plots/plot.hpp"

namespace fovea::report {

void add_figures(StagedFiles& files, const std::vector<const Plot*>& plots) {
    std::vector<DrawnPlot> drawn(plots.size());
    tbb::parallel_for(std::size_t{0}, plots.size(), [&](std::size_t i) {
        const Plot& plot = *plots[i];
        drawn[i] = draw_plot_with_key(plot.stem, plot.title, plot.caption, figure_script(plot),
                                      figure_key_rows(plot), plot.is_wide);
    });
    add_plot_files(files, drawn);
}

}  // namespace fovea::report
