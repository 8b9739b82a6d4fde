#include "tests/fuzz/gnuplot_stub.hpp"

#include <mutex>
#include <utility>

#include "lib/report/plots/gnuplot.hpp"
#include "lib/report/plots/plot_script.hpp"
#include "tests/fuzz/shapes.hpp"

namespace {

std::mutex mutex;
std::vector<std::string> scripts;

// The text in gnuplot's SVG.
std::string escaped(const std::string& text) {
    std::string escaped;
    for (const char c : text) {
        if (c == '&') {
            escaped += "&amp;";
        } else if (c == '<') {
            escaped += "&lt;";
        } else {
            escaped += c;
        }
    }
    return escaped;
}

}  // namespace

std::vector<std::string> fovea::fuzz::drawn_scripts() {
    const std::lock_guard lock(mutex);
    return std::exchange(scripts, {});
}

std::string fovea::report::run_gnuplot(const PlotScript& script, std::chrono::milliseconds) {
    std::string svg =
        "<?xml version=\"1.0\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\">\n<title>Gnuplot</title>\n";
    for (const std::string& text : fuzz::plot_script_texts(script.text()))
        svg += "<text>" + escaped(text) + "</text>\n";
    const std::lock_guard lock(mutex);
    scripts.push_back(script.text());
    return svg + "</svg>\n";
}

void fovea::report::require_gnuplot() {}
