#include <algorithm>
#include <array>
#include <cmath>

#include <spdlog/fmt/fmt.h>

#include "lib/report/html/format.hpp"
#include "lib/report/html/html.hpp"
#include "lib/report/html/palette.hpp"
#include "lib/report/landmarks/landmark_plots.hpp"
#include "lib/report/plots/svg.hpp"

namespace fovea::report {
namespace {

constexpr double width = 640;
constexpr double margin = 26;
constexpr double scale_height = 44;
constexpr double disc_radius = 9;

// From small to large errors; light enough for dark numbers on them, told apart without colour, too.
std::string heat_colour(double share) {
    static constexpr std::array<std::array<double, 3>, 3> stops{
        {{222, 235, 247}, {253, 190, 111}, {227, 74, 51}}};
    const double place = std::clamp(share, 0.0, 1.0) * (stops.size() - 1);
    const auto stop = std::min(static_cast<std::size_t>(place), stops.size() - 2);
    const double part = place - static_cast<double>(stop);
    std::array<int, 3> rgb{};
    for (std::size_t c = 0; c < 3; ++c) {
        rgb[c] = static_cast<int>(std::lround(stops[stop][c] + part * (stops[stop + 1][c] - stops[stop][c])));
    }
    return fmt::format("#{:02x}{:02x}{:02x}", rgb[0], rgb[1], rgb[2]);
}

std::string text_at(double x, double y, const std::string& anchor, const std::string& size,
                    const std::string& colour, const std::string& text) {
    return fmt::format(
        R"(<text x="{:.1f}" y="{:.1f}" text-anchor="{}" font-family="Helvetica" font-size="{}" fill="{}">{}</text>)",
        x, y, anchor, size, colour, escape_html(text));
}

std::string outline(const std::vector<Point>& places, const LandmarkRegion& region) {
    std::string path;
    for (std::size_t i = region.first; i < region.first + region.count; ++i) {
        path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", places[i].x, places[i].y);
    }
    return fmt::format(R"(<path d="{}{}" fill="none" stroke="{}" stroke-width="1.2"/>)", path,
                       region.closed ? "Z" : "", palette::muted);
}

std::string scale_bar(double top, double largest, const std::string& unit) {
    constexpr int steps = 40;
    constexpr double length = 240;
    const double left = (width - length) / 2;
    std::string svg;
    for (int i = 0; i < steps; ++i) {
        svg +=
            fmt::format(R"(<rect x="{:.2f}" y="{:.1f}" width="{:.2f}" height="10" fill="{}"/>)",
                        left + i * length / steps, top, length / steps + 0.3, heat_colour((i + 0.5) / steps));
    }
    svg += text_at(left - 8, top + 10, "end", "13", palette::ink, "0");
    svg += text_at(left + length + 8, top + 10, "start", "13", palette::ink, fixed(largest, 3));
    return svg + text_at(width / 2, top + 27, "middle", "13", palette::ink, "median distance / " + unit);
}

}  // namespace

DrawnPlot landmark_shape_plot(const LandmarkEvaluation& evaluation, const std::string& stem,
                              const std::string& title, double largest) {
    const std::string unit = normaliser_title(evaluation.normalisers[evaluation.primary]);
    DrawnPlot plot{
        stem,
        title,
        "The mean of the true faces. Every point has its number, from 0, and the colour of its median error "
        "over the faces found.",
        {},
        {},
        {}};
    if (evaluation.mean_shape.empty() || evaluation.by_point.empty()) return plot;
    const Box box = tight_box(evaluation.mean_shape);
    const double scale = (width - 2 * margin) / std::max(box.w, box.h);
    const double left = (width - scale * box.w) / 2;
    const double shape_height = scale * box.h;
    std::vector<Point> places;
    for (const Point& point : evaluation.mean_shape) {
        places.push_back({left + scale * (point.x - box.x), margin + scale * (point.y - box.y)});
    }
    const double height = shape_height + 2 * margin + scale_height;
    std::string svg = fmt::format(
        R"(<svg xmlns="http://www.w3.org/2000/svg" width="{0:.0f}" height="{1:.0f}" viewBox="0 0 {0:.0f} {1:.0f}">)"
        R"(<rect x="0" y="0" width="{0:.0f}" height="{1:.0f}" fill="{2}"/>)",
        width, height, palette::paper);
    for (const LandmarkRegion& region : landmark_regions(places.size())) svg += outline(places, region);
    for (std::size_t i = 0; i < places.size(); ++i) {
        const double share = largest > 0 ? evaluation.by_point[i].median / largest : 0;
        svg += fmt::format(
            R"(<circle cx="{:.1f}" cy="{:.1f}" r="{}" fill="{}" stroke="{}" stroke-width="0.8"/>)",
            places[i].x, places[i].y, disc_radius, heat_colour(share), palette::axis);
        svg += text_at(places[i].x, places[i].y + 3.3, "middle", "9.5", "#101418", std::to_string(i));
    }
    svg += scale_bar(shape_height + 2 * margin, largest, unit) + "</svg>";
    plot.svg = tidy_svg(svg, title);
    plot.bare_svg = plot.svg;
    return plot;
}

}  // namespace fovea::report
