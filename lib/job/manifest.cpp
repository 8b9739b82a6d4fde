#include "lib/job/manifest.hpp"

#include <map>

#include <sys/resource.h>

#include "lib/config/decoder_choice.hpp"
#include "lib/core/error.hpp"
#include "lib/core/natural_order.hpp"
#include "lib/files/file.hpp"
#include "lib/job/detection_job.hpp"
#include "lib/job/fingerprint.hpp"
#include "lib/json/json.hpp"

namespace fovea {
namespace {

// Adds the place of the results, relative to the folder, and the hash of a file of results.
void add_results(const std::filesystem::path& results, const std::filesystem::path& folder, Json& json) {
    if (results == "-") return;
    json["results"] = results.lexically_proximate(folder).generic_string();
    // They were just written: whatever keeps them from being seen is an error.
    std::error_code error;
    const std::filesystem::file_status status = std::filesystem::status(results, error);
    if (error) throw Error("'" + results.string() + "' cannot be looked at: " + error.message() + ".");
    if (std::filesystem::is_regular_file(status)) json["results_sha256"] = sha256_of_file(results);
}

Json detector_to_json(const ManifestDetector& detector, const DetectorTaskResult& outcome,
                      const std::filesystem::path& folder) {
    Json json;
    json["name"] = detector_name(detector.config);
    add_model(json, detector.model, detector.description);
    json["window"] = {detector.window.width, detector.window.height};
    json["detections"] = outcome.detections;
    json["engine"] = {{"device", detector.device},
                      {"images", detector.counters.images},
                      {"graph_replays", detector.counters.graph_replays},
                      {"repeats", detector.counters.repeats},
                      {"host_groupings", detector.counters.host_groupings},
                      {"shrinks", detector.counters.shrinks}};
    add_results(detector.results, folder, json);
    return json;
}

Json landmarks_to_json(const ManifestLandmarks& landmarks) {
    Json json;
    add_model(json, landmarks.model, landmarks.description);
    json["device"] = landmarks.device;
    json["boxes"] = Json::array();
    for (const BoxRule& rule : landmarks.boxes) {
        json["boxes"].push_back(
            {{"of", rule.of},
             {"convention", rule.convention.empty() ? Json(nullptr) : Json(rule.convention)},
             {"edges", edges_to_json(rule.edges)}});
    }
    return json;
}

Json truth_boxes_to_json(const std::filesystem::path& results, const DetectorTaskResult& outcome,
                         const std::filesystem::path& folder) {
    Json json{{"name", to_string(BoxSource::truth)}, {"faces", outcome.detections}};
    add_results(results, folder, json);
    return json;
}

// The most memory that this process had at any time.
std::size_t peak_memory_bytes() {
    struct rusage usage {};
    ::getrusage(RUSAGE_SELF, &usage);
    return static_cast<std::size_t>(usage.ru_maxrss) * 1024;
}

Json timings_to_json(const ManifestFacts& facts) {
    const DetectImagesResult& images = facts.outcome.images;
    Json json;
    json["threads"] = facts.threads;
    json["images"] = facts.done_here;
    json["set_up_seconds"] = images.set_up_seconds;
    json["total_seconds"] = images.total_seconds;
    if (images.total_seconds > 0) {
        json["images_per_second"] = static_cast<double>(facts.done_here) / images.total_seconds;
        json["megapixels_per_second"] = static_cast<double>(images.pixels) / 1e6 / images.total_seconds;
    }
    json["limit"] = limiting_stage(images.stages);
    json["stages"] = stages_to_json(images.stages);
    json["decode_wait_seconds"] = images.decode_wait_seconds;
    json["write_seconds"] = images.write_seconds;
    json["detect_seconds"] = Json::object();
    const std::vector<ManifestDetector>& detectors = facts.outcome.detectors;
    for (std::size_t i = 0; i < detectors.size(); ++i) {
        json["detect_seconds"][detector_name(detectors[i].config)] = images.tasks[i].detect_seconds;
    }
    if (images.tasks.size() > detectors.size()) {
        json["detect_seconds"][to_string(BoxSource::truth)] = images.tasks.back().detect_seconds;
    }
    json["peak_memory_bytes"] = peak_memory_bytes();
    return json;
}

Json decoding_to_json(const ManifestFacts& facts) {
    Json json = facts.decoder.to_json();
    const DecodedCounts& decoded = facts.outcome.images.decoded;
    json["images"] = {{"cpu", decoded.cpu}, {"nvjpeg", decoded.nvjpeg}, {"nvdec", decoded.nvdec}};
    json["refused_by_nvjpeg"] = decoded.refused_by_nvjpeg;
    // For a job that was resumed, this run's alone.
    if (facts.outcome.resumed > 0) json["of_images"] = facts.done_here;
    if (facts.config.image.scaled_decoding) json["images"]["reduced"] = decoded.reduced;
    return json;
}

// Frames of each video in the list, and how many of them were decoded.
struct VideoCounts {
    std::size_t first = 0;  // of the list
    std::int64_t listed = 0;
    std::int64_t done = 0;  // an interrupted job has done the first ones
    std::int64_t unreadable = 0;
};

Json video_to_json(const std::string& name, const VideoSource& video, const VideoCounts& counts) {
    const VideoFacts& facts = video.facts;
    Json json = video_to_json(name, video);
    json["parts"] = video.cuts.size();
    json["frames"] = {{"header", facts.header_frames > 0 ? Json(facts.header_frames) : Json(nullptr)},
                      {"packets", facts.packets},
                      {"hidden", facts.hidden_packets},
                      {"listed", counts.listed},
                      {"decoded", counts.done - counts.unreadable}};
    json["counted_by"] = video.counted_by_decoding ? "decoding" : "packets";
    return json;
}

// For each video: the frames in the list, those that came out, and who decoded it.
Json videos_to_json(const ManifestFacts& facts) {
    const ImageList& images = facts.job.images.images;
    std::map<std::string, VideoCounts, NaturalLess> videos;
    for (std::size_t i = 0; i < images.size(); ++i) {
        const std::string_view name = images.video_name(i);
        if (name.empty()) continue;
        const auto [place, is_new] = videos.try_emplace(std::string(name));
        if (is_new) place->second.first = i;
        ++place->second.listed;
        place->second.done += i < facts.outcome.images.images;
    }
    for (const UnreadableImage& image : facts.outcome.images.unreadable) {
        const std::optional<FrameName> frame = split_frame_name(image.image);
        if (!frame) continue;
        const auto found = videos.find(std::string(frame->video));
        if (found != videos.end()) ++found->second.unreadable;
    }
    Json json = Json::array();
    for (const auto& [name, counts] : videos) {
        const VideoFrame frame = images.frame(counts.first).value();
        Json& video = json.emplace_back(video_to_json(name, *frame.video, counts));
        const std::string why = facts.why_not_on_gpu ? facts.why_not_on_gpu(*frame.video) : "";
        video["decoder"] = facts.why_not_on_gpu && why.empty() ? "nvdec" : "cpu";
        if (!why.empty()) video["why_cpu"] = why;
    }
    return json;
}

Json features_to_json(const ManifestFacts& facts, const std::filesystem::path& folder) {
    const RecogniserConfig& recogniser = *facts.job.recogniser;
    Json json;
    json["file"] = facts.job.files.features.lexically_proximate(folder).generic_string();
    json["recogniser"] = recogniser.name;
    json["fingerprint"] = feature_fingerprint(recogniser);
    json["rows"] = facts.feature_rows;
    json["bins"] = recogniser.kind->metric(recogniser).length;
    json["sha256"] = sha256_of_file(facts.job.files.features);
    return json;
}

std::vector<std::string> gpu_names(const DetectionDevice& device) {
    std::vector<std::string> names;
    for (const int gpu : device.gpus) names.push_back("cuda:" + std::to_string(gpu));
    return names;
}

}  // namespace

Json crop_options_to_json(const CropOptions& options) {
    Json json;
    json["kind"] = to_string(options.kind);
    if (options.kind == CropKind::box) {
        json["size"] = options.size;
        json["margin"] = options.margin;
    }
    json["format"] = options.as_jpeg ? "jpg" : "png";
    return json;
}

Json make_manifest(const ManifestFacts& facts) {
    const DetectionJob& job = facts.job;
    const DetectImagesResult& outcome = facts.outcome.images;
    const ImageList& images = job.images.images;
    const std::vector<ManifestDetector>& detectors = facts.outcome.detectors;
    const std::filesystem::path folder = job.files.manifest.parent_path();
    ManifestRecord record{job.command, run_config_to_json(facts.config), facts.device, outcome.interrupted};
    record.complete = !outcome.interrupted;
    record.decoder = facts.decoder.name();
    record.dataset = job.images.dataset ? dataset_to_json(*job.images.dataset) : dataset_to_json(images);
    Json& json = record.own;
    json["results_format"] = {{"name", results_format_name}, {"version", results_format_version}};
    json["decoding"] = decoding_to_json(facts);
    if (!outcome.error.empty()) json["error"] = outcome.error;
    json["work"] = work_to_json(facts.work, images);
    if (job.images.shard) add_shard(*job.images.shard, images, json);
    if (images.has_frames()) json["videos"] = videos_to_json(facts);
    json["detectors"] = Json::array();
    std::size_t detections = 0;
    for (std::size_t i = 0; i < detectors.size(); ++i) {
        json["detectors"].push_back(detector_to_json(detectors[i], outcome.tasks[i], folder));
        detections += outcome.tasks[i].detections;
    }
    const std::optional<ManifestLandmarks>& landmarks = facts.outcome.landmarks;
    if (landmarks) json["landmarks"] = landmarks_to_json(*landmarks);
    if (landmarks && landmarks->truth_results) {
        json["truth_boxes"] = truth_boxes_to_json(*landmarks->truth_results, outcome.tasks.back(), folder);
    }
    if (!job.files.crops.empty()) {
        json["crops"] = crop_options_to_json(job.files.crop_options);
        json["crops"]["folder"] = job.files.crops.lexically_proximate(folder).generic_string();
    }
    if (job.recogniser) json["features"] = features_to_json(facts, folder);
    if (facts.energy) json["energy"] = energy_to_json(*facts.energy, gpu_names(job.device), facts.done_here);
    record.set_images(
        {outcome.images, outcome.unreadable, outcome.damaged, outcome.pages_left_out, images.skipped_files()},
        Json::object({{"detections", detections}}));
    record.add_left_out(images.skipped(), images.passed_over());
    record.timings = timings_to_json(facts);
    return manifest_json(record);
}

}  // namespace fovea
