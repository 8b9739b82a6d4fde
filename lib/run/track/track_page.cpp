#include "lib/run/track/track_page.hpp"

#include <algorithm>

#include <spdlog/fmt/fmt.h>

#include "lib/core/text.hpp"
#include "lib/report/model/report.hpp"
#include "lib/report/model/shown_columns.hpp"
#include "lib/report/write/page.hpp"

namespace fovea {
namespace {

using namespace report;

/// Faces of more tracks are folded.
constexpr std::size_t max_open = 20;

std::string clock_of(const std::optional<FrameTime>& frame, const std::string& image) {
    if (!frame) return image;
    const auto seconds = static_cast<long long>(frame->seconds);
    return fmt::format("{}:{:04.1f}", seconds / 60, frame->seconds - static_cast<double>(seconds / 60) * 60);
}

/// Bars of the frames in which each track is seen.
Plot timeline_plot(const std::vector<TrackSummary>& tracks, std::size_t frames, std::size_t number) {
    Plot plot{fmt::format("timeline_{}", number), "Timeline", "The frames in which each track is seen."};
    std::vector<AxisMark> rows;
    for (const TrackSummary& track : tracks) {
        const auto row = static_cast<double>(rows.size());
        rows.push_back({row, std::to_string(track.track)});
        Series bars{.mark = Mark::rects, .style = {.colour = rows.size() - 1}};
        for (const FrameSpan& span : track.spans) {
            bars.rects.push_back(
                row_bar(static_cast<double>(span.first), static_cast<double>(span.last + 1), row));
            bars.rects.back().note =
                fmt::format("track {}, frames {} to {}", track.track, span.first, span.last);
        }
        plot.series.push_back(std::move(bars));
    }
    plot.is_wide = true;
    plot.x = {.label = "Frame", .min = 0, .max = static_cast<double>(frames)};
    plot.y = row_axis("Track", std::move(rows));
    return plot;
}

Table tracks_table(const std::vector<TrackSummary>& tracks) {
    using Track = TrackSummary;
    ShownColumns<Track> columns{{{"Track"}, [](const Track& track) { return value_cell(track.track, 0); }}};
    if (std::any_of(tracks.begin(), tracks.end(), [](const Track& track) { return !track.identity.empty(); }))
        columns.push_back({words("Person"), [](const Track& track) { return Cell(track.identity); }});
    if (!tracks.empty() && tracks[0].first.has_value()) {
        columns.push_back({{"On screen"}, [](const Track& track) {
                               Cell cell = value_cell(track.seconds, 1);
                               cell.text += " s";
                               return cell;
                           }});
    } else {
        columns.push_back({{"Frames"}, [](const Track& track) {
                               return value_cell(static_cast<double>(track.frames), 0);
                           }});
    }
    append(
        columns,
        {{words("From"), [](const Track& track) { return Cell(clock_of(track.first, track.first_image)); }},
         {words("To"), [](const Track& track) { return Cell(clock_of(track.last, track.last_image)); }},
         {{"Detected", "share of its frames in which the detector found the face"}, [](const Track& track) {
              return share_cell(static_cast<double>(track.detections) /
                                static_cast<double>(std::max<std::size_t>(1, track.frames)));
          }}});
    Table table = table_of(columns, tracks);
    table.is_sortable = true;
    return table;
}

/// The strip of each track.
Section faces_section(const std::vector<TrackSummary>& tracks, std::size_t number) {
    Section section{fmt::format("faces-{}", number), "Faces"};
    section.fold = tracks.size() <= max_open ? Fold::open : Fold::closed;
    for (const TrackSummary& track : tracks) {
        report::Gallery gallery{fmt::format("faces-{}-{}", number, track.track),
                                fmt::format("Track {}", track.track), track.identity};
        for (const ShownFace& face : track.strip.faces()) {
            gallery.pictures.push_back({.name = clock_of(face.frame, face.image),
                                        .facts = {},
                                        .jpeg = face.jpeg,
                                        .width = face.width,
                                        .height = face.height});
        }
        if (!gallery.pictures.empty()) section.add(std::move(gallery));
    }
    return section;
}

Section sequence_section(const ShownSequence& sequence, std::size_t shown, std::size_t number) {
    const std::vector<TrackSummary> tracks(sequence.tracks.begin(),
                                           sequence.tracks.begin() + static_cast<std::ptrdiff_t>(shown));
    Section section{fmt::format("sequence-{}", number), sequence.name.empty() ? "Frames" : sequence.name};
    if (shown > 0) section.add(timeline_plot(tracks, sequence.frames, number));
    section.add(tracks_table(tracks));
    if (shown < sequence.all_tracks())
        section.add(Paragraph{fmt::format("The first {} of {} tracks.", shown, sequence.all_tracks()), true});
    section.sections = {faces_section(tracks, number)};
    return section;
}

}  // namespace

std::string track_job_page(const std::string& title, const std::vector<ShownSequence>& sequences) {
    Report page;
    page.title = title;
    std::size_t frames = 0, tracks = 0, room = max_shown_tracks;
    for (std::size_t i = 0; i < sequences.size(); ++i) {
        const ShownSequence& sequence = sequences[i];
        frames += sequence.frames;
        tracks += sequence.all_tracks();
        if (sequence.all_tracks() == 0) continue;
        const std::size_t shown = std::min(sequence.tracks.size(), room);
        room -= shown;
        page.sections.push_back(sequence_section(sequence, shown, i + 1));
    }
    page.lead = {{Run::plain(fmt::format("{} in {}: {}.", counted(frames, "frame"),
                                         counted(sequences.size(), "sequence"), counted(tracks, "track")))}};
    page.footer =
        "results.jsonl has a line per frame, tracks.jsonl a line per track, tracks.csv a row per face and "
        "frame.";
    return page_of(page);
}

}  // namespace fovea
