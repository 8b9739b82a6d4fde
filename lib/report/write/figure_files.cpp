#include "lib/report/write/figure_files.hpp"

#include <tbb/parallel_for.h>

#include "lib/report/model/xml_text.hpp"
#include "lib/report/plots/figure_script.hpp"
#include "lib/report/plots/gnuplot.hpp"

namespace fovea::report {
namespace {

struct Figure {
    std::string svg;
    std::string pdf;
};

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

void replace_all(std::string& text, const std::string& from, const std::string& to) {
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
        text.replace(at, from.size(), to);
}

// Puts the plot's title in the place of gnuplot's, makes lines of the grid as solid as they should be, and
// escapes the end of a CDATA section, which XML forbids in texts and gnuplot leaves as it is.
std::string tidied(std::string svg, const std::string& title) {
    replace_all(svg, "<title>Gnuplot</title>", "<title>" + escape_html(title) + "</title>");
    replace_all(svg, " stroke-dasharray='2,4' class=\"gridline\"", " class=\"gridline\"");
    replace_all(svg, "]]>", "]]&gt;");
    return svg;
}

Figure drawn(const Plot& plot) {
    const auto run = [&, script = figure_script(plot)](PlotFormat format) {
        return run_gnuplot(prelude(figure_key_rows(plot), format, plot.is_wide) + script);
    };
    return {tidied(run(PlotFormat::svg), plot.title), without_date(run(PlotFormat::pdf))};
}

}  // namespace

void add_figures(StagedFiles& files, const std::vector<const Plot*>& plots) {
    std::vector<Figure> figures(plots.size());
    tbb::parallel_for(std::size_t{0}, plots.size(), [&](std::size_t i) { figures[i] = drawn(*plots[i]); });
    for (std::size_t i = 0; i < plots.size(); ++i) {
        files.add(plots[i]->stem + ".svg", figures[i].svg);
        files.add(plots[i]->stem + ".pdf", figures[i].pdf);
    }
}

}  // namespace fovea::report
