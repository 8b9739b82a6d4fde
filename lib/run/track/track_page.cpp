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

std::string clock_of(const std::optional<FrameTime>& frame, const std::string& image) {
    if (!frame) return image;
    const auto seconds = static_cast<long long>(frame->seconds);
    return fmt::format("{}:{:04.1f}", seconds / 60, frame->seconds - static_cast<double>(seconds / 60) * 60);
}

std::vector<TimelineRow::Span> times_of(const std::vector<FrameSpan>& spans) {
    std::vector<TimelineRow::Span> times;
    for (const FrameSpan& span : spans) times.push_back({span.from, span.to});
    return times;
}

TimelineRow timeline_row(const TrackSummary& track) {
    TimelineRow row{.name = fmt::format("Track {}", track.track)};
    if (!track.identity.empty()) row.name += " " + track.identity;
    row.note = track.first ? clock_of(track.first, "") + ", " + fmt::format("{:.1f} s", track.seconds)
                           : counted(track.frames, "frame");
    row.colour = static_cast<std::size_t>(track.track - 1);
    row.spans = times_of(track.spans);
    row.strong = times_of(track.detected);
    for (const ShownFace& face : track.strip.faces()) {
        row.pictures.push_back({.name = clock_of(face.frame, face.image),
                                .facts = {},
                                .jpeg = face.jpeg,
                                .width = face.width,
                                .height = face.height});
    }
    return row;
}

TimelineRows timeline(const ShownSequence& sequence, const std::vector<TrackSummary>& tracks,
                      std::size_t number) {
    TimelineRows timeline{.id = fmt::format("timeline-{}", number), .title = sequence.name};
    timeline.note =
        "Full bars: the detector found the face. Pale bars: the face was followed where the detector did not "
        "find it.";
    timeline.strong_name = "detected";
    timeline.weak_name = "followed";
    timeline.is_clock = tracks[0].first.has_value();
    timeline.from = timeline.is_clock ? sequence.first_seconds : 0;
    timeline.to = timeline.is_clock ? sequence.last_seconds : static_cast<double>(sequence.frames);
    for (const TrackSummary& track : tracks) {
        timeline.rows.push_back(timeline_row(track));
        timeline.to = std::max(timeline.to, track.spans.back().to);
    }
    return timeline;
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

Section sequence_section(const ShownSequence& sequence, std::size_t shown, std::size_t number) {
    const std::vector<TrackSummary> tracks(sequence.tracks.begin(),
                                           sequence.tracks.begin() + static_cast<std::ptrdiff_t>(shown));
    Section section{fmt::format("sequence-{}", number), sequence.name.empty() ? "Frames" : sequence.name};
    if (shown < sequence.all_tracks())
        section.add(Paragraph{fmt::format("The first {} of {} tracks.", shown, sequence.all_tracks()), true});
    if (shown == 0) return section;
    section.add(timeline(sequence, tracks, number));
    Section table{fmt::format("table-{}", number), "Table"};
    table.fold = Fold::closed;
    table.add(tracks_table(tracks));
    section.sections = {std::move(table)};
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
