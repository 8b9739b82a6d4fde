#include "lib/run/track/shown_tracks.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#include "lib/core/error.hpp"
#include "lib/json/json.hpp"
#include "lib/json/json_place.hpp"
#include "lib/json/json_text.hpp"
#include "lib/run/track/track_page.hpp"

namespace fovea {
namespace {

Json time_to_json(const std::optional<FrameTime>& frame) {
    return frame ? Json{frame->number, frame->seconds} : Json();
}

std::optional<FrameTime> time_at(const JsonPlace& place) {
    if (place.json().is_null()) return std::nullopt;
    if (place.array_size() != 2) place.fail("a frame's number and time");
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    return FrameTime{place[0].integer(0, most), place[1].number()};
}

Json spans_to_json(const std::vector<FrameSpan>& spans) {
    Json json = Json::array();
    for (const FrameSpan& span : spans) json.push_back({span.first, span.last, span.from, span.to});
    return json;
}

std::vector<FrameSpan> spans_at(const JsonPlace& place) {
    return place.list_of([](const JsonPlace& span) {
        if (span.array_size() != 4) span.fail("the first frame and the last one, and their times");
        return FrameSpan{span[0].count(), span[1].count(), span[2].number(), span[3].number()};
    });
}

Json shown_to_json(const TrackSummary& track, std::string& pictures) {
    Json json{{"track", track.track},
              {"identity", track.identity},
              {"seconds", track.seconds},
              {"frames", track.frames},
              {"detections", track.detections},
              {"first_image", track.first_image},
              {"last_image", track.last_image},
              {"first", time_to_json(track.first)},
              {"last", time_to_json(track.last)},
              {"spans", spans_to_json(track.spans)},
              {"detected", spans_to_json(track.detected)},
              {"faces", Json::array()}};
    for (const ShownFace& face : track.strip.faces()) {
        json["faces"].push_back({{"image", face.image},
                                 {"frame", time_to_json(face.frame)},
                                 {"width", face.width},
                                 {"height", face.height},
                                 {"bytes", face.jpeg.size()}});
        pictures += face.jpeg;
    }
    return json;
}

TrackSummary shown_at(const JsonPlace& place, std::string_view& pictures) {
    TrackSummary track;
    track.track = place["track"].whole();
    track.identity = place["identity"].text();
    track.seconds = place["seconds"].number();
    track.frames = place["frames"].count();
    track.detections = place["detections"].count();
    track.first_image = place["first_image"].text();
    track.last_image = place["last_image"].text();
    track.first = time_at(place["first"]);
    track.last = time_at(place["last"]);
    track.spans = spans_at(place["spans"]);
    track.detected = spans_at(place["detected"]);
    const JsonPlace faces = place["faces"];
    const std::size_t size = faces.array_size();
    if (size > FaceStrip::max_faces) faces.fail("the faces of a strip");
    for (std::size_t i = 0; i < size; ++i) {
        const JsonPlace face = faces[i];
        const std::size_t bytes = face["bytes"].count();
        if (bytes > pictures.size()) face.fail("a face whose picture is there");
        track.strip.add({face["image"].text(), time_at(face["frame"]), std::string(pictures.substr(0, bytes)),
                         face["width"].whole(), face["height"].whole()});
        pictures.remove_prefix(bytes);
    }
    return track;
}

}  // namespace

std::string shown_tracks_bytes(const std::vector<TrackSummary>& tracks) {
    Json json = Json::array();
    std::string pictures;
    for (std::size_t i = 0; i < std::min(tracks.size(), max_shown_tracks); ++i)
        json.push_back(shown_to_json(tracks[i], pictures));
    return compact_text(json) + '\n' + pictures;
}

std::vector<TrackSummary> read_shown_tracks(std::string_view bytes, const std::string& origin) {
    const std::size_t end = bytes.find('\n');
    if (end == std::string_view::npos) throw Error("'" + origin + "' was cut off");
    const Json json = parse_json_file(origin, bytes.substr(0, end), "make it again");
    bytes.remove_prefix(end + 1);
    return JsonPlace(json, origin).list_of([&](const JsonPlace& place) { return shown_at(place, bytes); });
}

}  // namespace fovea
