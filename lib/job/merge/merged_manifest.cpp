#include "lib/job/merge/merged_manifest.hpp"

#include <algorithm>
#include <cstdint>
#include <string>

#include "lib/files/sha256.hpp"
#include "lib/job/manifest_parts.hpp"
#include "lib/json/json.hpp"

namespace fovea {
namespace {

// Counts and checksums of the part take those of the whole; what it did on its device is no one's any more.
void set_results(Json& entry, const MergeResult& outcome, const MergeRequest& request,
                 const std::string& sha256) {
    entry[entry.contains("faces") ? "faces" : "detections"] = outcome.detections;
    entry.erase("engine");
    entry["results"] = request.out.filename().generic_string();
    entry["results_sha256"] = sha256;
}

// A count of a manifest; 0 if there is none.
std::size_t count_at(const Json& manifest, const char* pointer) {
    const Json::json_pointer place(pointer);
    if (!manifest.contains(place) || !manifest.at(place).is_number_unsigned()) return 0;
    return manifest.at(place).get<std::size_t>();
}

// Who decoded how many images, all parts together.
Json decoding_json(const std::vector<ShardPart>& parts, std::size_t images) {
    Json json = parts.front().manifest["decoding"];
    std::size_t looked_at = 0;
    for (const ShardPart& part : parts) {
        // A part that was resumed counted those of its last run alone.
        const bool is_resumed = part.manifest.contains(Json::json_pointer("/decoding/of_images"));
        looked_at += is_resumed ? count_at(part.manifest, "/decoding/of_images") : part.lines;
    }
    for (const char* key : {"/images/cpu", "/images/nvjpeg", "/images/reduced", "/refused_by_nvjpeg"}) {
        const Json::json_pointer place(key);
        if (!json.contains(place)) continue;
        std::size_t sum = 0;
        for (const ShardPart& part : parts)
            sum += count_at(part.manifest, (std::string("/decoding") + key).c_str());
        json[place] = sum;
    }
    json.erase("of_images");
    if (looked_at < images) json["of_images"] = looked_at;
    return json;
}

// The frames of one video are shared by several parts.
Json merged_videos(const std::vector<ShardPart>& parts) {
    Json merged = Json::array();
    for (const ShardPart& part : parts) {
        for (const Json& video : part.manifest.value("videos", Json::array())) {
            const auto same = std::find_if(merged.begin(), merged.end(), [&](const Json& other) {
                return other.at("video") == video.at("video");
            });
            if (same == merged.end()) {
                merged.push_back(video);
                continue;
            }
            for (const char* count : {"listed", "decoded"}) {
                (*same)["frames"][count] = (*same)["frames"].at(count).get<std::int64_t>() +
                                           video.at("frames").at(count).get<std::int64_t>();
            }
        }
    }
    return merged;
}

}  // namespace

void set_whole(Json& json, std::size_t images) {
    json["work"].erase("shard");
    if (json.contains("dataset") && json["dataset"].is_object()) json["dataset"]["images"] = images;
}

Json merged_manifest(const std::vector<ShardPart>& parts, const MergeResult& outcome,
                     const MergeRequest& request, const std::filesystem::path& results,
                     const std::filesystem::path& features) {
    const Json& first = parts.front().manifest;
    const std::filesystem::path folder = request.out.parent_path();
    Json json;
    json["command"] = "merge";
    json["complete"] = true;
    json["interrupted"] = false;
    for (const char* key : {"configuration", "versions", "decoder", "work", "dataset", "detectors",
                            "landmarks", "truth_boxes"}) {
        if (first.contains(key)) json[key] = first[key];
    }
    set_whole(json, outcome.images);
    if (first.contains("decoding") && first["decoding"].is_object())
        json["decoding"] = decoding_json(parts, outcome.images);
    const std::string sha256 = sha256_of_file(results);
    if (json.contains("detectors")) {
        for (Json& detector : json["detectors"]) set_results(detector, outcome, request, sha256);
    }
    if (json.contains("truth_boxes")) set_results(json["truth_boxes"], outcome, request, sha256);
    if (!request.features.empty()) {
        json["features"] = first["features"];
        json["features"]["file"] = request.features.lexically_proximate(folder).generic_string();
        json["features"]["rows"] = outcome.feature_rows;
        json["features"]["sha256"] = sha256_of_file(features);
    }
    if (Json videos = merged_videos(parts); !videos.empty()) json["videos"] = std::move(videos);
    // No annotated boxes are detections.
    std::size_t detections = 0;
    for (const ShardPart& part : parts) detections += part.all_detections;
    set_images(json, outcome, outcome.skipped, Json::object({{"detections", detections}}));
    json["skipped"] = unread_inputs(parts.front());
    const auto passed_over = parts.front().manifest.find("passed_over");
    if (passed_over != parts.front().manifest.end()) json["passed_over"] = *passed_over;
    json["parts"] = parts_to_json(parts, folder);
    return json;
}

Json parts_to_json(const std::vector<ShardPart>& parts, const std::filesystem::path& folder) {
    Json list = Json::array();
    for (const ShardPart& part : parts) {
        Json entry{{"file", part.results.lexically_proximate(folder).generic_string()},
                   {"sha256", part.sha256},
                   {"shard", {{"index", part.shard.index}, {"count", part.shard.count}}}};
        for (const char* key : {"device", "timings"}) {
            if (part.manifest.contains(key)) entry[key] = part.manifest[key];
        }
        list.push_back(std::move(entry));
    }
    return list;
}

Json unread_inputs(const ShardPart& part) {
    const auto found = part.manifest.find("skipped");
    return found != part.manifest.end() && found->is_array() ? *found : Json::array();
}

}  // namespace fovea
