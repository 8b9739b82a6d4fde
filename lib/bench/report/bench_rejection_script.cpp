#include <algorithm>
#include <array>

#include <spdlog/fmt/fmt.h>

#include "lib/bench/report/bench_scripts.hpp"
#include "lib/report/html/palette.hpp"
#include "lib/report/plots/plot_script.hpp"

namespace fovea::report {
namespace {

// Shares are spread over five decades, so each class is one of them.
struct ShareClass {
    double from;
    const char* label;
    double strength;  ///< of the colour
};
constexpr std::array share_classes{
    ShareClass{0.5, "50 % and more", 1.0},     ShareClass{0.1, "10 to 50 %", 0.72},
    ShareClass{0.01, "1 to 10 %", 0.48},       ShareClass{0.001, "0.1 to 1 %", 0.28},
    ShareClass{0.0001, "0.01 to 0.1 %", 0.15}, ShareClass{0, "below 0.01 %", 0.07},
};

constexpr int max_columns = 40;

// The colour mixed with the paper.
std::string shade(const std::string& colour, double strength) {
    std::string mixed = "#";
    for (const std::size_t at : {1U, 3U, 5U}) {
        const double full = std::stoi(colour.substr(at, 2), nullptr, 16);
        const double paper = std::stoi(palette::paper.substr(at, 2), nullptr, 16);
        mixed += fmt::format("{:02x}", static_cast<int>(paper + (full - paper) * strength + 0.5));
    }
    return mixed;
}

}  // namespace

BenchScript rejections_script(const RejectionTable& table) {
    const std::vector<RejectionLevel>& levels = table.levels();
    const auto all_stages = static_cast<int>(table.total().rejected.size());
    // Several look-ups of an MCT cascade, each of which is a stage, share a column.
    const int shared = (all_stages + max_columns - 1) / max_columns;
    const int stages = shared > 0 ? (all_stages + shared - 1) / shared : 0;
    Tics stage_tics;
    stage_tics.add("flat", plot_script("-1"));
    stage_tics.add("passed", plot_script("{}", stages + 1));
    // Stages are counted from 1, as people do; few enough labels that none touches another.
    const int step = stages > 12 ? 5 : stages > 6 ? 2 : 1;
    for (int stage = 1; stage <= stages; ++stage) {
        if (stage % step != 0 && stage != 1) continue;
        stage_tics.add(std::to_string(stage * shared), plot_script("{}", stage));
    }
    Tics width_tics;
    const std::size_t every = levels.size() / 12 + 1;
    for (std::size_t i = 0; i < levels.size(); i += every) {
        width_tics.add(std::to_string(levels[i].box.width), plot_script("{}", i));
    }
    PlotScript script =
        axis_labels("Stage that rejected the window", "Window width in pixels") +
        plot_script(
            "set xrange [-1.6:{}]\nset yrange [-0.6:{:.6g}]\nset grid noxtics noytics\n"
            "set xtics scale 0 {}\nset ytics scale 0 {}\n",
            stages + 1.6, static_cast<double>(levels.size()) - 0.4, stage_tics.script(), width_tics.script());
    std::array<PlotScript, share_classes.size()> blocks;
    for (std::size_t i = 0; i < levels.size(); ++i) {
        const auto put = [&](std::int64_t count, double x) {
            if (count == 0) return;
            const double share = levels[i].share(count);
            std::size_t c = 0;
            while (share < share_classes[c].from) ++c;
            const auto y = static_cast<double>(i);
            blocks[c] += bar(x - 0.5, x + 0.5, y - 0.5, y + 0.5);
        };
        put(levels[i].flat, -1);
        for (int stage = 0; stage < stages; ++stage) {
            std::int64_t rejected = 0;
            for (int k = stage * shared; k < std::min((stage + 1) * shared, all_stages); ++k) {
                rejected += levels[i].rejected[static_cast<std::size_t>(k)];
            }
            put(rejected, stage + 1);
        }
        put(levels[i].passed, stages + 1);
    }
    std::vector<PlotScript> parts;
    for (std::size_t c = 0; c < blocks.size(); ++c) {
        if (blocks[c].empty()) continue;
        const PlotScript name = plot_script("class{}", c);
        script += data_block(name, blocks[c]);
        parts.push_back(
            bars_plot(name, shade(series_colour(0), share_classes[c].strength), share_classes[c].label));
    }
    return {script + plot_command(parts), parts.size()};
}

}  // namespace fovea::report
