#include "lib/run/track/track_page.hpp"

#include <algorithm>

#include <spdlog/fmt/fmt.h>

#include "lib/core/text.hpp"
#include "lib/landmark/face_crops.hpp"
#include "lib/report/html/format.hpp"
#include "lib/report/html/html.hpp"
#include "lib/report/html/palette.hpp"
#include "lib/report/page/document.hpp"
#include "lib/report/page/thumbnails.hpp"

namespace fovea {
namespace {

using report::escape_html;

/// In all sequences together: more tracks make the page too large for a browser. tracks.jsonl has all of
/// them.
constexpr std::size_t max_shown = 500;

constexpr const char* style = R"(
.timeline { width: 100%; height: auto; }
.timeline text { fill: currentColor; font: 11px sans-serif; }
.strip { display: flex; flex-wrap: wrap; gap: 4px; }
.strip figure { margin: 0; text-align: center; font-size: 11px; }
.strip img { display: block; width: 65px; height: 75px; }
)";

std::string clock_of(const std::optional<FrameTime>& frame, const std::string& image) {
    if (!frame) return image;
    const auto seconds = static_cast<long long>(frame->seconds);
    return fmt::format("{}:{:04.1f}", seconds / 60, frame->seconds - static_cast<double>(seconds / 60) * 60);
}

/// Bars of the frames in which each track is seen.
std::string timeline(const ShownSequence& sequence, std::size_t shown) {
    constexpr int width = 900, left = 60, row = 16;
    const double scale = static_cast<double>(width - left) / static_cast<double>(sequence.frames);
    std::string svg =
        fmt::format("<svg class=\"timeline\" viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"Timeline\">",
                    width, static_cast<int>(shown) * row + row);
    for (std::size_t i = 0; i < shown; ++i) {
        const TrackSummary& track = sequence.tracks[i];
        const int y = static_cast<int>(i) * row;
        svg += fmt::format("<text x=\"0\" y=\"{}\">{}</text>", y + row - 5, track.track);
        for (const FrameSpan& span : track.spans) {
            svg += fmt::format(
                "<rect x=\"{:.2f}\" y=\"{}\" width=\"{:.2f}\" height=\"{}\" "
                "fill=\"var({})\"><title>{}</title></rect>",
                left + scale * static_cast<double>(span.first), y + 2,
                std::max(1.0, scale * static_cast<double>(span.last - span.first + 1)), row - 4,
                report::series_variable(i),
                fmt::format("track {}, frames {} to {}", track.track, span.first, span.last));
        }
    }
    const int y = static_cast<int>(shown) * row + row - 4;
    svg += fmt::format("<text x=\"{}\" y=\"{}\">0</text>", left, y);
    svg += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"end\">frame {}</text>", width, y,
                       sequence.frames - 1);
    return svg + "</svg>";
}

std::string strip(const TrackSummary& track) {
    std::string figures;
    for (const ShownFace& face : track.strip.faces()) {
        figures +=
            fmt::format("<figure><img alt=\"\" src=\"data:image/jpeg;base64,{}\">{}</figure>",
                        report::base64(jpeg_of(face.crop)), escape_html(clock_of(face.frame, face.image)));
    }
    return report::element("div", "strip", figures);
}

std::string tracks_table(const ShownSequence& sequence, std::size_t shown) {
    const bool has_times = !sequence.tracks.empty() && sequence.tracks[0].first.has_value();
    const bool has_names = std::any_of(sequence.tracks.begin(), sequence.tracks.end(),
                                       [](const TrackSummary& track) { return !track.identity.empty(); });
    std::vector<report::HtmlColumn> columns{{"Track"}};
    if (has_names) columns.push_back({"Person", false});
    columns.push_back({has_times ? "On screen" : "Frames"});
    columns.push_back({"From", false});
    columns.push_back({"To", false});
    columns.push_back({"Detected", true, "share of its frames in which the detector found the face"});
    columns.push_back({"Faces", false});
    std::vector<report::HtmlRow> rows;
    for (std::size_t i = 0; i < shown; ++i) {
        const TrackSummary& track = sequence.tracks[i];
        report::HtmlRow row{{std::to_string(track.track)}};
        if (has_names) row.push_back({escape_html(track.identity)});
        row.push_back({has_times ? fmt::format("{:.1f} s", track.seconds) : std::to_string(track.frames)});
        row.push_back({escape_html(clock_of(track.first, track.first_image))});
        row.push_back({escape_html(clock_of(track.last, track.last_image))});
        row.push_back({percent(static_cast<double>(track.detections) /
                               static_cast<double>(std::max<std::size_t>(1, track.frames)))});
        row.push_back({strip(track)});
        rows.push_back(std::move(row));
    }
    return report::table(columns, rows);
}

}  // namespace

std::string track_job_page(const std::string& title, const std::vector<ShownSequence>& sequences) {
    report::Document page;
    page.title = title;
    page.style = style;
    page.footer =
        "results.jsonl has a line per frame, tracks.jsonl a line per track, tracks.csv a row per face and "
        "frame.";
    std::size_t frames = 0, tracks = 0, room = max_shown;
    for (std::size_t i = 0; i < sequences.size(); ++i) {
        const ShownSequence& sequence = sequences[i];
        frames += sequence.frames;
        tracks += sequence.tracks.size();
        if (sequence.tracks.empty()) continue;
        const std::size_t shown = std::min(sequence.tracks.size(), room);
        room -= shown;
        std::string html;
        if (shown > 0) html = timeline(sequence, shown) + tracks_table(sequence, shown);
        if (shown < sequence.tracks.size()) {
            html +=
                report::small_line(fmt::format("The first {} of {} tracks.", shown, sequence.tracks.size()));
        }
        page.parts.push_back({fmt::format("sequence-{}", i + 1),
                              sequence.name.empty() ? "Frames" : sequence.name, std::move(html)});
    }
    page.lead = escape_html(fmt::format("{} in {}: {}.", counted(frames, "frame"),
                                        counted(sequences.size(), "sequence"), counted(tracks, "track")));
    return report::document_page(page);
}

}  // namespace fovea
