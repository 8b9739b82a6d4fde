#include "lib/job/manifest.hpp"

#include <algorithm>
#include <map>
#include <span>

#include <opencv2/core/utility.hpp>
#include <sys/resource.h>

#include "kernels/core/device.hpp"
#include "lib/config/decoder_choice.hpp"
#include "lib/core/error.hpp"
#include "lib/core/natural_order.hpp"
#include "lib/core/version.hpp"
#include "lib/files/file.hpp"
#include "lib/files/folder.hpp"
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
    json["model"] = detector.model.string();
    json["model_sha256"] = sha256_of_file(detector.model);
    json["description"] = detector.description;
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
    json["model"] = landmarks.model.string();
    json["model_sha256"] = sha256_of_file(landmarks.model);
    json["description"] = landmarks.description;
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

// The places where time does not go on in the file, and what is added to its times from there on.
Json clock_to_json(const VideoSource& video) {
    constexpr std::size_t max_shown = 100;
    Json json{{"breaks", video.clock_breaks.size()}, {"first", Json::array()}};
    for (const ClockBreak& place :
         std::span(video.clock_breaks).first(std::min(max_shown, video.clock_breaks.size())))
        json["first"].push_back({{"frame", place.frame}, {"added_seconds", video.seconds(place.offset)}});
    return json;
}

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

Json sources_to_json(const std::vector<std::filesystem::path>& sources) {
    Json json = Json::array();
    for (const std::filesystem::path& source : sources) {
        // A list that came through a pipe cannot be read a second time.
        if (!is_file(source)) continue;
        json.push_back({{"path", source.string()}, {"sha256", sha256_of_file(source)}});
    }
    return json;
}

}  // namespace

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

Json versions_to_json() {
    Json json;
    json["fovea"] = fovea_version();
    json["opencv"] = cv::getVersionString();
    json["decoder"] = decoder_description();
    if (cuda_built()) json["cuda"] = cuda_build_version();
    return json;
}

Json work_to_json(const Json& work, const ImageList& images) {
    Json json;
    json["sha256"] = work_sha256(work);
    json["images"] = images.whole_size();
    json["images_sha256"] = images.names_sha256();
    json["description"] = work;
    return json;
}

void add_shard(const Shard& shard, const ImageList& images, Json& manifest) {
    manifest["work"]["shard"] = to_string(shard);
    manifest["shard"] = {
        {"index", shard.index}, {"count", shard.count}, {"positions", positions_text(images)}};
}

Json unreadable_json(const std::vector<UnreadableImage>& unreadable) {
    Json list = Json::array();
    for (const UnreadableImage& image : unreadable) {
        list.push_back({{"image", image.image}, {"reason", image.reason}});
    }
    return list;
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
    json["sources"] = sources_to_json(images.sources());
    return json;
}

Json manifest_head(const std::string& command, const RunConfig& config, const std::string& device,
                   bool interrupted) {
    Json json;
    json["command"] = command;
    json["interrupted"] = interrupted;
    json["configuration"] = run_config_to_json(config);
    json["versions"] = versions_to_json();
    json["decoder"] = "cpu";
    json["device"] = device;
    return json;
}

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
    Json json = manifest_head(job.command, facts.config, facts.device, outcome.interrupted);
    json["complete"] = !outcome.interrupted;
    json["results_format"] = {{"name", results_format_name}, {"version", results_format_version}};
    json["decoder"] = facts.decoder.name();
    json["decoding"] = decoding_to_json(facts);
    if (!outcome.error.empty()) json["error"] = outcome.error;
    json["work"] = work_to_json(facts.work, images);
    if (job.images.shard) add_shard(*job.images.shard, images, json);
    json["dataset"] = job.images.dataset ? dataset_to_json(*job.images.dataset) : dataset_to_json(images);
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
    json["counts"] = {{"images", outcome.images},
                      {"ok", outcome.images - outcome.unreadable.size()},
                      {"unreadable", outcome.unreadable.size()},
                      {"damaged", outcome.damaged},
                      {"pages_left_out", outcome.pages_left_out},
                      {"skipped", images.skipped_files()},
                      {"detections", detections}};
    json["unreadable"] = unreadable_json(outcome.unreadable);
    add_left_out(json, images.skipped(), images.passed_over());
    json["timings"] = timings_to_json(facts);
    if (facts.energy) json["energy"] = energy_to_json(*facts.energy, gpu_names(job.device), facts.done_here);
    return json;
}

void add_left_out(Json& json, const std::vector<SkippedInput>& skipped,
                  const PassedOver::Counts& passed_over) {
    json["skipped"] = Json::array();
    for (const SkippedInput& input : skipped) {
        Json entry{{"name", input.name}, {"reason", input.reason}};
        if (input.files > 1) entry["files"] = input.files;
        json["skipped"].push_back(std::move(entry));
    }
    if (!passed_over.empty()) json["passed_over"] = passed_over;
}

}  // namespace fovea
