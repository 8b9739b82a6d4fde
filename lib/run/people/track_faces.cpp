#include "lib/run/people/track_faces.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "lib/core/overlap.hpp"
#include "lib/files/block_reader.hpp"
#include "lib/files/folder.hpp"
#include "lib/json/json.hpp"
#include "lib/json/json_place.hpp"
#include "lib/json/json_text.hpp"
#include "lib/run/people/archive_faces.hpp"

namespace fovea {

namespace {

void for_each_line(const std::filesystem::path& file, const std::function<void(const JsonPlace&)>& take) {
    BlockReader lines(file, 0, std::size_t{1} << 20);
    for (std::size_t number = 1; const auto line = lines.next_line(); ++number) {
        const std::string origin = file.string() + ":" + std::to_string(number);
        const Json json = parse_json_file(origin, *line, "begin anew with --overwrite");
        take(JsonPlace(json, origin));
    }
}

}  // namespace

TrackFaces::TrackFaces(const std::filesystem::path& tracks) {
    for_each_line(tracks, [&](const JsonPlace& place) {
        const std::optional<JsonPlace> best = place.find("best");
        if (!best) return;
        const std::vector<double> box = (*best)["box"].numbers(4, "a list of 4 numbers");
        TrackFace& face = faces_[(*best)["image"].text()].emplace_back();
        ++size_;
        face.track = place["track"].whole();
        face.box = {box[0], box[1], box[2], box[3]};
        if (const auto sequence = place.find("sequence")) face.sequence = sequence->text();
        const auto seconds = place.find("seconds_on_screen");
        if (!seconds) return;
        face.from = place["first_time"].number();
        face.to = place["last_time"].number();
        face.seconds_on_screen = seconds->number();
    });
}

std::vector<TrackTime> read_track_times(const std::filesystem::path& file) {
    std::vector<TrackTime> times;
    if (!is_file(file)) return times;
    for_each_line(file, [&](const JsonPlace& place) {
        if (!place.has("first_time")) return;
        times.push_back({place["image"].text(), place["track"].whole(), place["first_time"].number(),
                         place["last_time"].number()});
    });
    return times;
}

std::size_t TrackFaces::count(const std::string& image) const {
    const auto faces = faces_.find(image);
    return faces == faces_.end() ? 0 : faces->second.size();
}

const TrackFace& TrackFaces::track(const std::string& image, int number) const {
    const std::vector<TrackFace>& faces = faces_.at(image);
    return *std::find_if(faces.begin(), faces.end(),
                         [&](const TrackFace& face) { return face.track == number; });
}

std::vector<std::uint32_t> TrackFaces::choose(ImageResult& result) const {
    if (!result.frame) return all_places(result);
    std::vector<OverlappingPair> pairs;
    const auto found = faces_.find(result.image);
    if (found != faces_.end()) {
        for (std::size_t i = 0; i < result.detections.size(); ++i) {
            for (std::size_t face = 0; face < found->second.size(); ++face) {
                constexpr double least = 0.5;
                const double overlap =
                    intersection_over_union(result.detections[i].box, found->second[face].box);
                if (overlap >= least) pairs.push_back({overlap, i, face});
            }
        }
    }
    std::vector<std::pair<std::uint32_t, int>> chosen;  // detection and track
    for (const OverlappingPair& pair : pair_greedily(std::move(pairs)))
        chosen.emplace_back(static_cast<std::uint32_t>(pair.first), found->second[pair.second].track);
    std::sort(chosen.begin(), chosen.end());
    std::vector<Detection> kept;
    std::vector<std::uint32_t> places;
    for (const auto& [detection, track] : chosen) {
        places.push_back(detection);
        kept.push_back(std::move(result.detections[detection]));
        kept.back().details.edit().track = track;
    }
    result.detections = std::move(kept);
    return places;
}

}  // namespace fovea
