#include "lib/job/manifest_parts.hpp"

#include <algorithm>
#include <set>
#include <span>

#include <opencv2/core/utility.hpp>

#include "kernels/core/device.hpp"
#include "lib/core/version.hpp"
#include "lib/files/file.hpp"
#include "lib/files/folder.hpp"
#include "lib/files/sha256.hpp"
#include "lib/image/formats/decode.hpp"
#include "lib/video/video_source.hpp"

namespace fovea {
namespace {

// The places where time does not go on in the file, and what is added to its times from there on.
Json clock_to_json(const VideoSource& video) {
    constexpr std::size_t max_shown = 100;
    Json json{{"breaks", video.clock_breaks.size()}, {"first", Json::array()}};
    for (const ClockBreak& place :
         std::span(video.clock_breaks).first(std::min(max_shown, video.clock_breaks.size())))
        json["first"].push_back({{"frame", place.frame}, {"added_seconds", video.seconds(place.offset)}});
    return json;
}

/// \param archives those of the sources that hold images
Json sources_to_json(const std::vector<std::filesystem::path>& sources,
                     const std::vector<std::filesystem::path>& archives = {}) {
    const std::set<std::filesystem::path> with_images(archives.begin(), archives.end());
    Json json = Json::array();
    for (const std::filesystem::path& source : sources) {
        // A list that came through a pipe cannot be read a second time.
        if (!is_file(source)) continue;
        Json& entry = json.emplace_back(Json{{"path", source.string()}});
        // A shard reads its own images of an archive, and never the rest for a hash.
        if (with_images.contains(source)) {
            entry["bytes"] = size_of_file(source);
        } else {
            entry["sha256"] = sha256_of_file(source);
        }
    }
    return json;
}

void add_model(Json& json, const std::filesystem::path& model, const std::string& description) {
    json["model"] = model.string();
    json["model_sha256"] = sha256_of_file(model);
    json["description"] = description;
}

// "3 1 1 12": the first image's place in the whole list, then the distance of each from the one before.
std::string positions_text(const ImageList& images) {
    std::string text;
    std::size_t before = 0;
    for (std::size_t i = 0; i < images.size(); ++i) {
        if (i > 0) text += ' ';
        text += std::to_string(images.position(i) - before);
        before = images.position(i);
    }
    return text;
}

}  // namespace

Json unreadable_json(const std::vector<UnreadableImage>& unreadable) {
    Json list = Json::array();
    for (const UnreadableImage& image : unreadable)
        list.push_back({{"image", image.image}, {"reason", image.reason}});
    return list;
}

void ManifestRecord::set_images(const ImageCounts& images, std::size_t skipped, const Json& more) {
    counts = {{"images", images.images},
              {"ok", images.images - images.unreadable.size()},
              {"unreadable", images.unreadable.size()},
              {"damaged", images.damaged},
              {"pages_left_out", images.pages_left_out},
              {"skipped", skipped}};
    counts.update(more);
    losses["unreadable"] = unreadable_json(images.unreadable);
}

void set_images(Json& manifest, const ImageCounts& images, std::size_t skipped, const Json& more) {
    ManifestRecord record;
    record.set_images(images, skipped, more);
    manifest["counts"] = std::move(record.counts);
    manifest.update(record.losses);
}

void ManifestRecord::add_left_out(const std::vector<SkippedInput>& skipped,
                                  const PassedOver::Counts& passed_over) {
    losses["skipped"] = Json::array();
    for (const SkippedInput& input : skipped) {
        Json entry{{"name", input.name}, {"reason", input.reason}};
        if (input.files > 1) entry["files"] = input.files;
        losses["skipped"].push_back(std::move(entry));
    }
    if (!passed_over.empty()) losses["passed_over"] = passed_over;
}

Json manifest_json(const ManifestRecord& record) {
    Json json;
    json["command"] = record.command;
    json["interrupted"] = record.interrupted;
    if (record.complete) json["complete"] = *record.complete;
    json["configuration"] = record.configuration;
    json["versions"] = versions_to_json();
    json["decoder"] = record.decoder;
    json["device"] = record.device;
    if (!record.dataset.is_null()) json["dataset"] = record.dataset;
    json.update(record.own);
    if (!record.counts.is_null()) json["counts"] = record.counts;
    json.update(record.losses);
    if (!record.timings.is_null()) json["timings"] = record.timings;
    return json;
}

Json versions_to_json() {
    Json json;
    json["fovea"] = fovea_version();
    json["opencv"] = cv::getVersionString();
    json["decoder"] = decoder_description();
    if (cuda_built()) json["cuda"] = cuda_build_version();
    return json;
}

ManifestRecord job_record(const std::string& command, const JobMaterial& job, const std::string& device,
                          bool interrupted) {
    ManifestRecord record{command, run_config_to_json(effective_config(job.config, job.detectors)), device,
                          interrupted};
    record.complete = !interrupted;
    return record;
}

void add_work(const Json& work, const ImageList& images, const std::optional<Shard>& shard, Json& manifest) {
    manifest["work"] = {{"sha256", work_sha256(work)},
                        {"images", images.whole_size()},
                        {"images_sha256", images.names_sha256()},
                        {"description", work}};
    if (!shard) return;
    manifest["work"]["shard"] = to_string(*shard);
    manifest["shard"] = {
        {"index", shard->index}, {"count", shard->count}, {"positions", positions_text(images)}};
}

Json dataset_to_json(const Dataset& dataset) {
    Json json;
    json["name"] = dataset.name;
    json["format"] = dataset.format;
    json["images"] = dataset.samples.size();
    if (dataset.has_ground_truth()) json["faces"] = dataset.face_count();
    json["sources"] = sources_to_json(dataset.sources);
    return json;
}

Json dataset_to_json(const ImageList& images) {
    Json json;
    json["name"] = images.specification();
    json["format"] = images.format();
    json["images"] = images.size();
    if (images.list_sha256().empty()) {
        json["sources"] = sources_to_json(images.sources(), images.archives());
    } else {
        // A shard reads its own images of the list, and never the rest for a hash.
        for (const std::filesystem::path& list : images.sources())
            json["sources"].push_back({{"path", list.string()}, {"list_sha256", images.list_sha256()}});
    }
    return json;
}

Json video_to_json(const std::string& name, const VideoSource& video) {
    const VideoFacts& facts = video.facts;
    Json json;
    json["video"] = name;
    json["file"] = video.file.string();
    json["stream"] = video.stream;
    json["streams"] = facts.streams;
    json["container"] = facts.container;
    json["codec"] = facts.codec;
    json["profile"] = facts.profile;
    json["pixel_format"] = facts.pixel_format;
    json["width"] = facts.width;
    json["height"] = facts.height;
    json["sample_aspect_ratio"] =
        std::to_string(facts.pixel.width) + ":" + std::to_string(facts.pixel.height);
    json["orientation"] = facts.orientation;
    json["frames_per_second"] = facts.frames_per_second;
    if (!video.clock_breaks.empty()) json["clock"] = clock_to_json(video);
    return json;
}

Json detector_to_json(const LoadedDetector& loaded) {
    Json json{{"name", detector_name(loaded.config)}};
    add_model(json, loaded.model, loaded.detector->description());
    return json;
}

Json landmarker_to_json(const LoadedLandmarker& loaded) {
    Json json;
    add_model(json, loaded.model, loaded.landmarker->description());
    return json;
}

Json rule_to_json(const BoxRule& rule) {
    const BoxTransform& edges = rule.edges;
    return {{"convention", rule.convention.empty() ? Json(nullptr) : Json(rule.convention)},
            {"edges",
             {{"left", edges.left}, {"top", edges.top}, {"right", edges.right}, {"bottom", edges.bottom}}}};
}

}  // namespace fovea
