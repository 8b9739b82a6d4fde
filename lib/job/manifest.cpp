#include "lib/job/manifest.hpp"

#include <algorithm>
#include <map>

#include <sys/resource.h>

#include "lib/core/error.hpp"
#include "lib/core/natural_order.hpp"
#include "lib/core/threads.hpp"
#include "lib/files/file.hpp"
#include "lib/files/sha256.hpp"
#include "lib/process/command_line.hpp"

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

Json detector_results(const LoadedDetector& loaded, const DetectorTaskResult& outcome) {
    Json json = detector_to_json(loaded);
    const Size window = loaded.detector->window();
    json["window"] = {window.width, window.height};
    json["detections"] = outcome.detections;
    json["engine"] = {
        {"device", loaded.detector->device_name()},          {"images", outcome.counters.images},
        {"graph_replays", outcome.counters.graph_replays},   {"repeats", outcome.counters.repeats},
        {"host_groupings", outcome.counters.host_groupings}, {"shrinks", outcome.counters.shrinks}};
    return json;
}

Json landmarks_to_json(const LoadedLandmarker& loaded, const std::vector<BoxRule>& boxes) {
    Json json = landmarker_to_json(loaded);
    json["device"] = loaded.landmarker->device_name();
    json["boxes"] = Json::array();
    for (const BoxRule& rule : boxes) {
        Json& box = json["boxes"].emplace_back(Json{{"of", rule.of}});
        box.update(rule_to_json(rule));
    }
    return json;
}

/// The device that the detectors run on: the chosen one, unless none of them can.
std::string device_of(const DetectionJob& job) {
    const bool any = std::any_of(job.detectors.begin(), job.detectors.end(), [&](const auto& loaded) {
        return loaded.detector->device_name() == job.device.name();
    });
    return any || job.detectors.empty() ? job.device.name() : job.detectors[0].detector->device_name();
}

// The most memory that this process had at any time.
std::size_t peak_memory_bytes() {
    struct rusage usage {};
    ::getrusage(RUSAGE_SELF, &usage);
    return static_cast<std::size_t>(usage.ru_maxrss) * 1024;
}

Json timings_to_json(const DetectionJob& job, const DetectionJobResult& result, std::size_t done_here) {
    const DetectImagesResult& images = result.images;
    Json json;
    json["began"] = result.began;
    json["host"] = host_name();
    json["threads"] = resolve_threads(job.config.threads);
    json["images"] = done_here;
    json["set_up_seconds"] = images.set_up_seconds;
    json["total_seconds"] = images.total_seconds;
    if (images.total_seconds > 0) {
        json["images_per_second"] = static_cast<double>(done_here) / images.total_seconds;
        json["megapixels_per_second"] = static_cast<double>(images.pixels) / 1e6 / images.total_seconds;
    }
    json["limit"] = limiting_stage(images.stages);
    json["stages"] = stages_to_json(images.stages);
    json["decode_wait_seconds"] = images.decode_wait_seconds;
    json["write_seconds"] = images.write_seconds;
    json["detect_seconds"] = Json::object();
    for (std::size_t i = 0; i < job.detectors.size(); ++i)
        json["detect_seconds"][detector_name(job.detectors[i].config)] = images.tasks[i].detect_seconds;
    if (images.tasks.size() > job.detectors.size()) {
        json["detect_seconds"][to_string(BoxSource::truth)] = images.tasks.back().detect_seconds;
    }
    json["peak_memory_bytes"] = peak_memory_bytes();
    return json;
}

Json decoding_to_json(const DetectionJob& job, const JobPlan& plan, const DetectionJobResult& outcome) {
    Json json = plan.decoder.to_json();
    const DecodedCounts& decoded = outcome.images.decoded;
    json["images"] = {{"cpu", decoded.cpu}, {"nvjpeg", decoded.nvjpeg}, {"nvdec", decoded.nvdec}};
    json["refused_by_nvjpeg"] = decoded.refused_by_nvjpeg;
    // For a job that was resumed, this run's alone.
    if (outcome.resumed > 0) json["of_images"] = outcome.images.images - outcome.resumed;
    if (job.config.image.scaled_decoding) json["images"]["reduced"] = decoded.reduced;
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
Json videos_to_json(const ImageList& images, const DetectImagesResult& outcome,
                    const WhyNotOnGpu& why_not_on_gpu) {
    std::map<std::string, VideoCounts, NaturalLess> videos;
    for (std::size_t i = 0; i < images.size(); ++i) {
        const std::string_view name = images.video_name(i);
        if (name.empty()) continue;
        const auto [place, is_new] = videos.try_emplace(std::string(name));
        if (is_new) place->second.first = i;
        ++place->second.listed;
        place->second.done += i < outcome.images;
    }
    for (const UnreadableImage& image : outcome.unreadable) {
        const std::optional<FrameName> frame = split_frame_name(image.image);
        if (!frame) continue;
        const auto found = videos.find(std::string(frame->video));
        if (found != videos.end()) ++found->second.unreadable;
    }
    Json json = Json::array();
    for (const auto& [name, counts] : videos) {
        const VideoFrame frame = images.frame(counts.first).value();
        Json& video = json.emplace_back(video_to_json(name, *frame.video, counts));
        const std::string why = why_not_on_gpu ? why_not_on_gpu(*frame.video) : "";
        video["decoder"] = why_not_on_gpu && why.empty() ? "nvdec" : "cpu";
        if (!why.empty()) video["why_cpu"] = why;
    }
    return json;
}

Json features_to_json(const DetectionJob& job, std::size_t rows, const std::filesystem::path& folder) {
    const RecogniserConfig& recogniser = *job.recogniser;
    Json json;
    json["file"] = job.files.features.lexically_proximate(folder).generic_string();
    json["recogniser"] = recogniser.name;
    json["fingerprint"] = feature_fingerprint(recogniser);
    json["rows"] = rows;
    json["bins"] = recogniser.kind->metric(recogniser).length;
    json["sha256"] = sha256_of_file(job.files.features);
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

Json make_manifest(const DetectionJob& job, const JobPlan& plan, const DetectionJobResult& result,
                   const EnergyReading& energy, std::size_t feature_rows) {
    const DetectImagesResult& outcome = result.images;
    const ImageList& images = job.images.images;
    const std::size_t done_here = outcome.images - result.resumed;
    const std::filesystem::path folder = job.files.manifest.parent_path();
    ManifestRecord record = job_record(job.command, job, device_of(job), outcome.interrupted);
    record.decoder = plan.decoder.name();
    record.dataset = job.images.dataset ? dataset_to_json(*job.images.dataset) : dataset_to_json(images);
    Json& json = record.own;
    json["results_format"] = {{"name", results_format_name}, {"version", results_format_version}};
    json["decoding"] = decoding_to_json(job, plan, result);
    if (!outcome.error.empty()) json["error"] = outcome.error;
    add_work(plan.work, images, job.images.shard, json);
    if (images.has_frames()) json["videos"] = videos_to_json(images, outcome, plan.options.why_not_on_gpu);
    json["detectors"] = Json::array();
    std::size_t detections = 0;
    for (std::size_t i = 0; i < job.detectors.size(); ++i) {
        Json& detector = json["detectors"].emplace_back(detector_results(job.detectors[i], outcome.tasks[i]));
        add_results(job.files.results[i], folder, detector);
        detections += outcome.tasks[i].detections;
    }
    if (job.landmarker != nullptr) json["landmarks"] = landmarks_to_json(*job.landmarker, plan.boxes);
    if (plan.has_truth_task) {
        json["truth_boxes"] = {{"name", to_string(BoxSource::truth)},
                               {"faces", outcome.tasks.back().detections}};
        add_results(job.files.results.back(), folder, json["truth_boxes"]);
    }
    if (!job.files.crops.empty()) {
        json["crops"] = crop_options_to_json(job.files.crop_options);
        json["crops"]["folder"] = job.files.crops.lexically_proximate(folder).generic_string();
    }
    if (job.recogniser) json["features"] = features_to_json(job, feature_rows, folder);
    json["energy"] = energy_to_json(energy, gpu_names(job.device), done_here);
    record.set_images(outcome, images.skipped_files(), Json::object({{"detections", detections}}));
    record.add_left_out(images.skipped(), images.passed_over());
    record.timings = timings_to_json(job, result, done_here);
    return manifest_json(record);
}

}  // namespace fovea
