#include "lib/pipeline/merged_manifest.hpp"

#include "lib/core/sha256.hpp"

namespace fovea {
namespace {

// Counts and checksums of the part take those of the whole; what it did on its device is no one's any more.
void set_results(Json& entry, const MergeOutcome& outcome, const MergeRequest& request,
                 const std::string& sha256) {
    entry[entry.contains("faces") ? "faces" : "detections"] = outcome.detections;
    entry.erase("engine");
    entry["results"] = request.out.filename().generic_string();
    entry["results_sha256"] = sha256;
}

Json parts_json(const std::vector<ShardPart>& parts, const std::filesystem::path& folder) {
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

}  // namespace

Json merged_manifest(const std::vector<ShardPart>& parts, const MergeOutcome& outcome,
                     const MergeRequest& request) {
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
    const std::string sha256 = sha256_of_file(request.out);
    if (json.contains("detectors")) {
        for (Json& detector : json["detectors"]) set_results(detector, outcome, request, sha256);
    }
    if (json.contains("truth_boxes")) set_results(json["truth_boxes"], outcome, request, sha256);
    if (!request.features.empty()) {
        json["features"] = {{"file", request.features.lexically_proximate(folder).generic_string()},
                            {"rows", outcome.feature_rows},
                            {"bins", parts.front().features->bins},
                            {"sha256", sha256_of_file(request.features)}};
    }
    // Of annotated boxes none are detections.
    std::size_t detections = 0;
    for (const ShardPart& part : parts)
        detections += part.manifest["counts"]["detections"].get<std::size_t>();
    json["counts"] = {{"images", outcome.images},
                      {"ok", outcome.images - outcome.unreadable.size()},
                      {"unreadable", outcome.unreadable.size()},
                      {"detections", detections},
                      {"skipped", outcome.skipped}};
    json["unreadable"] = Json::array();
    for (const UnreadableImage& image : outcome.unreadable) {
        json["unreadable"].push_back({{"image", image.image}, {"reason", image.reason}});
    }
    json["skipped"] = skipped_inputs(parts.front());
    json["parts"] = parts_json(parts, folder);
    return json;
}

Json skipped_inputs(const ShardPart& part) {
    const auto found = part.manifest.find("skipped");
    return found != part.manifest.end() && found->is_array() ? *found : Json::array();
}

}  // namespace fovea
