#include <algorithm>
#include <numeric>

#include <spdlog/fmt/fmt.h>

#include "lib/report/model/names.hpp"
#include "lib/report/tracks/track_content.hpp"
#include "lib/report/tracks/track_timeline.hpp"

namespace fovea::report {
namespace {

using TrackEvaluations = std::vector<TrackEvaluation>;

/// Timelines of more trackers would make the page too long.
constexpr std::size_t max_trackers_with_timelines = 3;
constexpr std::size_t max_timeline_rows = 40;
constexpr std::size_t max_videos_shown = 40;
constexpr std::size_t max_stretches = 300;

// --- by threshold -----------------------------------------------------------------------------------

struct LevelKind {
    const char* stem;
    const char* name;
    const char* caption;
    ByLevel HotaNumbers::*values;
};
const LevelKind level_kinds[] = {
    {"hota", "HOTA", "The geometric mean of detection and association, at each least IoU of a pair.",
     &HotaNumbers::hota},
    {"det_a", "DetA", "Detection alone: pairs over pairs, missed and false boxes.", &HotaNumbers::det_a},
    {"ass_a", "AssA",
     "Association alone: how much of its tracks a box that is found shares with the true one.",
     &HotaNumbers::ass_a},
    {"loc_a", "LocA", "Mean IoU of the pairs.", &HotaNumbers::loc_a},
};

Series level_series(const HotaNumbers& hota, const LevelKind& kind, const std::vector<std::string>& names,
                    std::size_t i) {
    const ByLevel& values = hota.*kind.values;
    Series series = rival_series(names, i, Mark::line);
    series.detail = "mean " + percent(mean_of_levels(values));
    for (std::size_t a = 0; a < hota_levels; ++a) series.points.push_back({hota_threshold(a), values[a]});
    return series;
}

Plot level_plot(const std::string& stem, const std::string& name, const std::string& caption) {
    Plot plot{stem, name + " by threshold", caption};
    plot.x = {.label = "IoU threshold", .min = 0, .max = 1};
    plot.y = share_axis(name);
    return plot;
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

Axis frame_axis(const VideoEvaluation& video) {
    return {.label = "Frame",
            .min = static_cast<double>(video.frames.front()) - 0.5,
            .max = static_cast<double>(video.frames.back()) + 0.5};
}

Plot timeline_plot(const VideoEvaluation& video, const std::string& stem, const std::string& of) {
    const Timeline timeline = timeline_of(video);
    const std::vector<std::uint32_t> rows = rows_of(video, timeline);
    constexpr std::size_t not_shown = static_cast<std::size_t>(-1);
    std::vector<std::size_t> row_of(video.prepared.truth_tracks.size(), not_shown);
    for (std::size_t i = 0; i < rows.size(); ++i) row_of[rows[i]] = i;

    Plot plot{
        stem, "Tracks over time: " + of,
        "A row for each true track. A thin grey line: the face is there. A thick line: it is found; the "
        "colour is that of the track of the results. A black mark: the track of the results changes."};
    if (rows.size() < row_of.size()) {
        plot.caption += " The " + std::to_string(rows.size()) + " of " + std::to_string(row_of.size()) +
                        " tracks with the most changes.";
    }
    plot.is_wide = true;
    plot.x = frame_axis(video);
    plot.y = {.label = "True track",
              .min = -0.8,
              .max = static_cast<double>(std::max<std::size_t>(rows.size(), 1)) - 0.2,
              .is_reversed = true};
    // Beyond these, labels would cover one another.
    const std::size_t step = rows.size() / 20 + 1;
    for (std::size_t i = 0; i < rows.size(); i += step)
        plot.y.marks.push_back(
            {static_cast<double>(i), std::to_string(video.prepared.truth_tracks[rows[i]])});

    const auto rect = [&](const TimelineSpan& span, double half, std::string note) {
        const auto row = static_cast<double>(row_of[span.truth]);
        return PlotRect{static_cast<double>(video.frames[span.first]) - 0.5,
                        static_cast<double>(video.frames[span.last]) + 0.5,
                        row - half,
                        row + half,
                        1,
                        std::move(note)};
    };
    Series seen{.mark = Mark::rects, .tone = Tone::muted};
    for (const TimelineSpan& span : timeline.seen) {
        if (row_of[span.truth] != not_shown) seen.rects.push_back(rect(span, 0.06, "the face is there"));
    }
    plot.series.push_back(std::move(seen));
    constexpr std::size_t colours = 7;
    for (std::size_t i = 0; i < colours; ++i) {
        Series found{.mark = Mark::rects, .style = {.colour = i}};
        for (const TimelineSpan& span : timeline.found) {
            if (row_of[span.truth] == not_shown || span.result % colours != i) continue;
            found.rects.push_back(
                rect(span, 0.22, fmt::format("found as {}", video.prepared.result_tracks[span.result])));
        }
        plot.series.push_back(std::move(found));
    }
    Series switches{.mark = Mark::dots, .tone = Tone::ink};
    for (const IdentitySwitch& change : timeline.switches) {
        if (row_of[change.truth] == not_shown) continue;
        switches.points.push_back(
            {.x = static_cast<double>(video.frames[change.frame]) - 0.5,
             .y = static_cast<double>(row_of[change.truth]),
             .note = fmt::format("{} becomes {}", video.prepared.result_tracks[change.before],
                                 video.prepared.result_tracks[change.after])});
    }
    plot.series.push_back(std::move(switches));
    std::erase_if(plot.series, [](const Series& s) { return s.rects.empty() && s.points.empty(); });
    return plot;
}

/// A value of a video over time, for each tracker.
template <class Value>
Plot overlap_plot(const TrackersCompared& trackers, std::size_t v, Plot plot, Value&& value) {
    plot.is_wide = true;
    plot.x = frame_axis(trackers.evaluations[0].videos[v]);
    for (std::size_t i = 0; i < trackers.evaluations.size(); ++i) {
        Series series = rival_series(trackers.names, i, Mark::line);
        for (const OverlapPoint& point : overlap_over_time(trackers.evaluations[i].videos[v], max_stretches))
            series.points.push_back({point.frame, value(point)});
        plot.series.push_back(std::move(series));
    }
    return plot;
}

}  // namespace

std::vector<Plot> track_threshold_plots(const TrackersCompared& trackers) {
    const TrackEvaluations& evaluations = trackers.evaluations;
    if (evaluations.size() == 1) {
        Plot plot =
            level_plot("hota", "HOTA",
                       "HOTA, its parts for detection (DetA) and association (AssA), and the mean IoU "
                       "of the pairs (LocA), at each least IoU of a pair.");
        plot.y.label = "HOTA and its parts";
        std::vector<std::string> names;
        for (const LevelKind& kind : level_kinds) names.emplace_back(kind.name);
        for (std::size_t k = 0; k < names.size(); ++k)
            plot.series.push_back(level_series(evaluations[0].numbers.hota, level_kinds[k], names, k));
        return {plot};
    }
    std::vector<Plot> plots;
    for (const LevelKind& kind : level_kinds) {
        Plot plot = level_plot(kind.stem, kind.name, kind.caption);
        for (std::size_t i = 0; i < evaluations.size(); ++i)
            plot.series.push_back(level_series(evaluations[i].numbers.hota, kind, trackers.names, i));
        plots.push_back(std::move(plot));
    }
    return plots;
}

std::vector<Plot> track_video_plots(const TrackersCompared& trackers) {
    const std::vector<VideoEvaluation>& videos = trackers.evaluations[0].videos;
    if (videos.size() < 2) return {};
    const std::size_t shown = std::min(videos.size(), max_videos_shown);
    Plot plot{"videos", "By video", "HOTA of each video."};
    if (shown < videos.size()) {
        plot.caption = "HOTA of the first " + std::to_string(shown) + " of " + std::to_string(videos.size()) +
                       " videos; report.json has all.";
    }
    plot.is_wide = true;
    std::vector<AxisMark> marks;
    for (std::size_t v = 0; v < shown; ++v)
        marks.push_back({static_cast<double>(v), shortened(videos[v].name, 18)});
    plot.x = category_axis("", std::move(marks));
    plot.x.is_slanted = true;
    plot.y = share_axis("HOTA");
    for (std::size_t i = 0; i < trackers.evaluations.size(); ++i) {
        Series series = rival_series(trackers.names, i, Mark::bars);
        for (std::size_t v = 0; v < shown; ++v) {
            series.points.push_back({static_cast<double>(v),
                                     mean_of_levels(trackers.evaluations[i].videos[v].numbers.hota.hota)});
        }
        plot.series.push_back(std::move(series));
    }
    return {plot};
}

std::vector<Plot> track_time_plots(const TrackersCompared& trackers, std::size_t video, std::size_t number) {
    const TrackEvaluations& evaluations = trackers.evaluations;
    const std::string& name = evaluations[0].videos[video].name;
    std::vector<Plot> plots;
    for (std::size_t i = 0; i < std::min(evaluations.size(), max_trackers_with_timelines); ++i) {
        plots.push_back(timeline_plot(evaluations[i].videos[video],
                                      fmt::format("timeline_{}_{}", number, i + 1),
                                      evaluations.size() == 1 ? name : name + ", " + trackers.names[i]));
    }
    Plot overlap{fmt::format("overlap_{}", number), "Overlap over time: " + name,
                 "Mean IoU of the boxes found."};
    overlap.y = share_axis("Mean IoU");
    plots.push_back(overlap_plot(trackers, video, std::move(overlap), [](const OverlapPoint& point) {
        return point.has_pairs ? point.mean_iou : no_value;
    }));
    Plot found{fmt::format("found_{}", number), "Faces found over time: " + name,
               "Share of the true boxes that are found."};
    found.y = share_axis("Faces found");
    plots.push_back(overlap_plot(trackers, video, std::move(found), [](const OverlapPoint& point) {
        return point.has_truth ? point.found : no_value;
    }));
    return plots;
}

}  // namespace fovea::report
