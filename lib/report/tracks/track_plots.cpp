#include <algorithm>
#include <numeric>

#include <spdlog/fmt/fmt.h>

#include "lib/core/text.hpp"
#include "lib/report/html/format.hpp"
#include "lib/report/html/palette.hpp"
#include "lib/report/plots/plot_script.hpp"
#include "lib/report/tracks/track_page.hpp"
#include "lib/report/tracks/track_timeline.hpp"

namespace fovea::report {
namespace {

using TrackEvaluations = std::vector<TrackEvaluation>;

constexpr std::size_t max_timelines = 3;
constexpr std::size_t max_timeline_rows = 40;
constexpr std::size_t max_videos_shown = 40;
constexpr std::size_t max_stretches = 300;

// --- by threshold -----------------------------------------------------------------------------------

std::vector<CurvePoint> level_curve(const ByLevel& values) {
    std::vector<CurvePoint> points;
    for (std::size_t a = 0; a < hota_levels; ++a) points.push_back({hota_threshold(a), 100 * values[a]});
    return points;
}

PlotScript level_axes(std::string_view label) {
    return axis_labels("IoU threshold", label) + percent_axis(plot_script("y")) +
           plot_script("set xrange [0:1]\nset xtics 0,0.2\n");
}

void add_level_curve(const ByLevel& values, const std::string& name, std::size_t i, PlotScript& script,
                     std::vector<PlotScript>& lines) {
    script += curve_block(plot_script("level{}", i), level_curve(values));
    const std::string title =
        fmt::format("{} (mean {})", key_name(name, 14), percent(mean_of_levels(values)));
    lines.push_back(
        plot_script("$level{} using 1:2 with lines lw 2 {} {} title {}", i, dash(i), line_colour(i), title));
}

DrawnPlot levels_of_one(const TrackEvaluation& evaluation) {
    const HotaNumbers& hota = evaluation.numbers.hota;
    PlotScript script = level_axes("HOTA and its parts");
    std::vector<PlotScript> lines;
    add_level_curve(hota.hota, "HOTA", 0, script, lines);
    add_level_curve(hota.det_a, "DetA", 1, script, lines);
    add_level_curve(hota.ass_a, "AssA", 2, script, lines);
    add_level_curve(hota.loc_a, "LocA", 3, script, lines);
    return draw_plot_with_key(
        "hota", "HOTA by threshold",
        "HOTA, its parts for detection (DetA) and association (AssA), and the mean IoU of "
        "the pairs (LocA), at each least IoU of a pair.",
        script + plot_command(lines), 4);
}

DrawnPlot levels_of_all(const TrackEvaluations& evaluations, const Names& names, const char* stem,
                        const char* title, const char* caption, ByLevel HotaNumbers::*member) {
    PlotScript script = level_axes(title);
    std::vector<PlotScript> lines;
    for (std::size_t i = 0; i < evaluations.size(); ++i)
        add_level_curve(evaluations[i].numbers.hota.*member, names[i], i, script, lines);
    return draw_plot(stem, title, caption, script + plot_command(lines), evaluations.size());
}

std::vector<DrawnPlot> threshold_plots(const TrackEvaluations& evaluations, const Names& names) {
    if (evaluations.size() == 1) return {levels_of_one(evaluations[0])};
    return {levels_of_all(evaluations, names, "hota", "HOTA by threshold",
                          "The geometric mean of detection and association, at each least IoU of a pair.",
                          &HotaNumbers::hota),
            levels_of_all(evaluations, names, "det_a", "DetA by threshold",
                          "Detection alone: pairs over pairs, missed and false boxes.", &HotaNumbers::det_a),
            levels_of_all(evaluations, names, "ass_a", "AssA by threshold",
                          "Association alone: how much of its tracks a box that is found shares with the "
                          "true one.",
                          &HotaNumbers::ass_a),
            levels_of_all(evaluations, names, "loc_a", "LocA by threshold", "Mean IoU of the pairs.",
                          &HotaNumbers::loc_a)};
}

// --- by video ---------------------------------------------------------------------------------------

std::vector<DrawnPlot> video_plots(const TrackEvaluations& evaluations, const Names& names) {
    const std::vector<VideoEvaluation>& videos = evaluations[0].videos;
    if (videos.size() < 2) return {};
    const std::size_t shown = std::min(videos.size(), max_videos_shown);
    Tics tics;
    for (std::size_t v = 0; v < shown; ++v) tics.add(shortened(videos[v].name, 18), plot_script("{}", v));
    PlotScript script =
        axis_labels("", "HOTA") + percent_axis(plot_script("y")) +
        plot_script("set xrange [-0.7:{:.6g}]\nset xtics rotate by 45 right {}\nset grid noxtics ytics\n",
                    static_cast<double>(shown) - 0.3, tics.script());
    const double width = 0.8 / static_cast<double>(evaluations.size());
    std::vector<PlotScript> parts;
    for (std::size_t i = 0; i < evaluations.size(); ++i) {
        PlotScript rows;
        for (std::size_t v = 0; v < shown; ++v) {
            const double place = static_cast<double>(v) - 0.4 + width * (static_cast<double>(i) + 0.5);
            rows += plot_script("{:.6g} {:.6g}\n", place,
                                100 * mean_of_levels(evaluations[i].videos[v].numbers.hota.hota));
        }
        script += data_block(plot_script("videos{}", i), rows);
        parts.push_back(
            plot_script("$videos{} using 1:2:({:.6g}) with boxes fs solid 0.6 noborder {} title {}", i,
                        0.92 * width, line_colour(i), key_name(names[i])));
    }
    std::string caption = "HOTA of each video.";
    if (shown < videos.size())
        caption = "HOTA of the first " + std::to_string(shown) + " of " + std::to_string(videos.size()) +
                  " videos; report.json has all.";
    return {draw_plot("videos", "By video", caption, script + plot_command(parts),
                      evaluations.size() > 1 ? evaluations.size() : 0, true)};
}

// --- over time --------------------------------------------------------------------------------------

/// The true tracks that a timeline shows, each with its row.
std::vector<std::uint32_t> rows_of(const VideoEvaluation& video, const Timeline& timeline) {
    std::vector<std::uint32_t> tracks(video.prepared.truth_tracks.size());
    std::iota(tracks.begin(), tracks.end(), 0u);
    if (tracks.size() <= max_timeline_rows) return tracks;
    std::vector<std::size_t> switches(tracks.size(), 0);
    for (const IdentitySwitch& change : timeline.switches) ++switches[change.truth];
    std::stable_sort(tracks.begin(), tracks.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return switches[a] > switches[b]; });
    tracks.resize(max_timeline_rows);
    std::sort(tracks.begin(), tracks.end());
    return tracks;
}

class TimelinePlot {
  public:
    explicit TimelinePlot(const VideoEvaluation& video)
        : video_(video), timeline_(timeline_of(video)), rows_(rows_of(video, timeline_)) {
        place_.assign(video.prepared.truth_tracks.size(), rows_.size());
        for (std::size_t i = 0; i < rows_.size(); ++i) place_[rows_[i]] = i;
    }

    DrawnPlot draw(const std::string& stem, const std::string& of) const {
        PlotScript script = axes();
        std::vector<PlotScript> parts;
        add_spans(
            plot_script("seen"), timeline_.seen, [](const TimelineSpan&) { return true; },
            plot_script("lw 1.4 lc rgb {}", palette::muted), script, parts);
        constexpr std::size_t colours = 7;
        for (std::size_t i = 0; i < colours; ++i) {
            add_spans(
                plot_script("found{}", i), timeline_.found,
                [i](const TimelineSpan& span) { return span.result % colours == i; },
                plot_script("lw 5 lc rgb {}", series_colour(i)), script, parts);
        }
        add_switches(script, parts);
        std::string caption =
            "A row for each true track. A thin grey line: the face is there. A thick line: it is found; the "
            "colour is that of the track of the results. A black mark: the track of the results changes.";
        if (rows_.size() < place_.size())
            caption += " The " + std::to_string(rows_.size()) + " of " + std::to_string(place_.size()) +
                       " tracks with the most changes.";
        return draw_plot(stem, "Tracks over time: " + of, caption, script + plot_command(parts), 0, true);
    }

  private:
    PlotScript axes() const {
        Tics tics;
        // Beyond these, labels would cover one another.
        const std::size_t step = rows_.size() / 20 + 1;
        for (std::size_t i = 0; i < rows_.size(); i += step)
            tics.add(std::to_string(video_.prepared.truth_tracks[rows_[i]]), plot_script("{}", i));
        const double first = static_cast<double>(video_.frames.front());
        const double last = static_cast<double>(video_.frames.back());
        return axis_labels("Frame", "True track") +
               plot_script("set xrange [{:.6g}:{:.6g}]\nset yrange [{:.6g}:-0.8]\nset ytics {}\n",
                           first - 0.5, last + 0.5,
                           static_cast<double>(std::max<std::size_t>(rows_.size(), 1)) - 0.2, tics.script());
    }

    double frame(std::uint32_t place) const { return static_cast<double>(video_.frames[place]); }

    template <class Choose>
    void add_spans(const PlotScript& name, const std::vector<TimelineSpan>& spans, Choose&& choose,
                   const PlotScript& style, PlotScript& script, std::vector<PlotScript>& parts) const {
        PlotScript rows;
        for (const TimelineSpan& span : spans) {
            if (place_[span.truth] == rows_.size() || !choose(span)) continue;
            const double begin = frame(span.first) - 0.5;
            rows +=
                plot_script("{:.8g} {} {:.8g}\n", begin, place_[span.truth], frame(span.last) + 0.5 - begin);
        }
        if (rows.empty()) return;
        script += data_block(name, rows);
        parts.push_back(plot_script("${} using 1:2:3:(0) with vectors nohead {} notitle", name, style));
    }

    void add_switches(PlotScript& script, std::vector<PlotScript>& parts) const {
        PlotScript rows;
        for (const IdentitySwitch& change : timeline_.switches) {
            if (place_[change.truth] == rows_.size()) continue;
            rows += plot_script("{:.8g} {}\n", frame(change.frame) - 0.5, place_[change.truth]);
        }
        if (rows.empty()) return;
        script += data_block(plot_script("switches"), rows);
        parts.push_back(
            plot_script("$switches using 1:2 with points pt 7 ps 0.5 lc rgb {} notitle", palette::ink));
    }

    const VideoEvaluation& video_;
    Timeline timeline_;
    std::vector<std::uint32_t> rows_;
    std::vector<std::size_t> place_;  // of each true track; rows_.size() for those that are not shown
};

/// A value of a video over time, for each tracker.
template <class Value>
PlotScript overlap_script(const TrackEvaluations& evaluations, const Names& names, std::size_t v,
                          const char* label, Value&& value) {
    const VideoEvaluation& first = evaluations[0].videos[v];
    PlotScript script =
        axis_labels("Frame", label) + percent_axis(plot_script("y")) +
        plot_script("set xrange [{:.6g}:{:.6g}]\n", static_cast<double>(first.frames.front()) - 0.5,
                    static_cast<double>(first.frames.back()) + 0.5);
    std::vector<PlotScript> parts;
    for (std::size_t i = 0; i < evaluations.size(); ++i) {
        PlotScript rows;
        for (const OverlapPoint& point : overlap_over_time(evaluations[i].videos[v], max_stretches)) {
            const std::optional<double> shown = value(point);
            // An empty line breaks the curve.
            rows += shown ? plot_script("{:.8g} {:.6g}\n", point.frame, 100 * *shown) : plot_script("\n");
        }
        script += data_block(plot_script("time{}", i), rows);
        parts.push_back(plot_script("$time{} using 1:2 with lines lw 1.4 {} {} title {}", i, dash(i),
                                    line_colour(i), key_name(names[i])));
    }
    return script + plot_command(parts);
}

std::vector<DrawnPlot> plots_of_video(const TrackEvaluations& evaluations, const Names& names, std::size_t v,
                                      std::size_t number) {
    const std::string& video = evaluations[0].videos[v].name;
    std::vector<DrawnPlot> plots;
    for (std::size_t i = 0; i < std::min(evaluations.size(), max_with_bars); ++i) {
        const bool is_one = evaluations.size() == 1;
        plots.push_back(TimelinePlot(evaluations[i].videos[v])
                            .draw(fmt::format("timeline_{}_{}", number, i + 1),
                                  is_one ? video : video + ", " + names[i]));
    }
    const std::size_t key = evaluations.size() > 1 ? evaluations.size() : 0;
    plots.push_back(draw_plot(
        fmt::format("overlap_{}", number), "Overlap over time: " + video, "Mean IoU of the boxes found.",
        overlap_script(evaluations, names, v, "Mean IoU",
                       [](const OverlapPoint& point) {
                           return point.has_pairs ? std::optional(point.mean_iou) : std::nullopt;
                       }),
        key, true));
    plots.push_back(draw_plot(fmt::format("found_{}", number), "Faces found over time: " + video,
                              "Share of the true boxes that are found.",
                              overlap_script(evaluations, names, v, "Faces found",
                                             [](const OverlapPoint& point) {
                                                 return point.has_truth ? std::optional(point.found)
                                                                        : std::nullopt;
                                             }),
                              key, true));
    return plots;
}

}  // namespace

std::vector<DrawnPlot> TrackPlots::all() const {
    std::vector<DrawnPlot> plots = thresholds;
    plots.insert(plots.end(), videos.begin(), videos.end());
    plots.insert(plots.end(), timelines.begin(), timelines.end());
    return plots;
}

std::vector<std::size_t> videos_of_timelines(const TrackEvaluation& evaluation) {
    std::vector<std::size_t> videos(evaluation.videos.size());
    std::iota(videos.begin(), videos.end(), std::size_t{0});
    std::stable_sort(videos.begin(), videos.end(), [&](std::size_t a, std::size_t b) {
        return evaluation.videos[a].numbers.clear.switches > evaluation.videos[b].numbers.clear.switches;
    });
    if (videos.size() > max_timelines) videos.resize(max_timelines);
    return videos;
}

TrackPlots track_plots(const TrackEvaluations& evaluations, const std::vector<std::string>& names) {
    TrackPlots plots;
    plots.thresholds = threshold_plots(evaluations, names);
    plots.videos = video_plots(evaluations, names);
    std::size_t number = 1;
    for (const std::size_t v : videos_of_timelines(evaluations[0])) {
        for (DrawnPlot& plot : plots_of_video(evaluations, names, v, number))
            plots.timelines.push_back(std::move(plot));
        ++number;
    }
    return plots;
}

}  // namespace fovea::report
