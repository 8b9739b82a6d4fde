#include "lib/files/staged_files.hpp"
#include "lib/report/plots/gnuplot.hpp"
#include "lib/report/plots/plot.hpp"
#include "lib/report/plots/plot_script.hpp"
#include "lib/report/plots/svg.hpp"

namespace fovea::report {
namespace {

// The time of drawing has no place in a file that depends on its data alone. The length stays, as the
// positions in a PDF are counted in bytes.
std::string without_date(std::string pdf) {
    const std::string key = "/CreationDate";
    const std::size_t begin = pdf.find(key);
    if (begin == std::string::npos) return pdf;
    const std::size_t end = pdf.find(')', begin);
    if (end == std::string::npos) return pdf;
    return pdf.replace(begin, end + 1 - begin, end + 1 - begin, ' ');
}

std::string pdf_of(const PlotScript& script, std::size_t key_rows, bool wide) {
    return without_date(run_gnuplot(prelude(key_rows, PlotFormat::pdf, wide) + script));
}

}  // namespace

DrawnPlot draw_plot(const std::string& stem, const std::string& title, const std::string& caption,
                    const PlotScript& script, std::size_t key_rows, bool wide) {
    DrawnPlot plot{
        stem, title, caption, {}, tidy_svg(run_gnuplot(prelude(0, PlotFormat::svg, wide) + script), title),
        {},   wide};
    plot.svg = key_rows > 0 ? tidy_svg(run_gnuplot(prelude(key_rows, PlotFormat::svg, wide) + script), title)
                            : plot.bare_svg;
    plot.pdf = pdf_of(script, key_rows, wide);
    return plot;
}

DrawnPlot draw_plot_with_key(const std::string& stem, const std::string& title, const std::string& caption,
                             const PlotScript& script, std::size_t key_rows, bool wide) {
    DrawnPlot plot{
        stem, title, caption, tidy_svg(run_gnuplot(prelude(key_rows, PlotFormat::svg, wide) + script), title),
        {},   {},    wide};
    plot.bare_svg = plot.svg;
    plot.pdf = pdf_of(script, key_rows, wide);
    return plot;
}

void add_plot_files(StagedFiles& files, const std::vector<DrawnPlot>& plots) {
    for (const DrawnPlot& plot : plots) {
        files.add(plot.stem + ".svg", plot.svg);
        if (!plot.pdf.empty()) files.add(plot.stem + ".pdf", plot.pdf);
    }
}

}  // namespace fovea::report
