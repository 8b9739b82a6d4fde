#include "lib/run/track/track_manifest.hpp"

#include <filesystem>

#include "lib/files/sha256.hpp"
#include "lib/job/manifest.hpp"
#include "lib/job/manifest_file.hpp"
#include "lib/json/json.hpp"
#include "lib/run/track/frame_sequence.hpp"

namespace fovea {
namespace {

Json file_to_json(const std::filesystem::path& file) {
    return {{"file", file.filename().string()}, {"sha256", sha256_of_file(file)}};
}

Json detector_to_json(const LoadedDetector& detector) {
    Json json;
    json["name"] = detector_name(detector.config);
    add_model(json, detector.model, detector.detector->description());
    return json;
}

Json landmarks_to_json(const LoadedLandmarker& landmarker, const BoxRule& boxes) {
    Json json;
    add_model(json, landmarker.model, landmarker.landmarker->description());
    json["convention"] = boxes.convention.empty() ? Json(nullptr) : Json(boxes.convention);
    json["edges"] = edges_to_json(boxes.edges);
    return json;
}

Json sequences_to_json(const std::vector<SequenceCounts>& sequences) {
    Json json = Json::array();
    for (const SequenceCounts& sequence : sequences) {
        json.push_back({{"name", sequence.name},
                        {"frames", sequence.frames},
                        {"tracks", sequence.tracks},
                        {"boxes", sequence.boxes}});
    }
    return json;
}

Json videos_to_json(const ImageList& images) {
    Json json = Json::array();
    for (const FrameSequence& sequence : sequences_of(images)) {
        if (const std::optional<VideoFrame> first = images.frame(sequence.first))
            json.push_back(video_to_json(sequence.name, *first->video));
    }
    return json;
}

Json scores_to_json(const TrackerOptions& tracker) {
    const auto number = [](double score) { return std::isfinite(score) ? Json(score) : Json(nullptr); };
    return {{"begins_a_track", number(tracker.min_score)},
            {"continues_a_track", number(tracker.min_weak_score)}};
}

}  // namespace

void write_track_manifest(const TrackManifestFacts& facts) {
    const TrackJob& job = facts.job;
    const TrackJobResult& outcome = facts.outcome;
    RunConfig config = job.config;
    config.detectors = {job.detector.config};
    const ImageList& images = job.images.images;
    ManifestRecord record{"track", run_config_to_json(config), facts.on_gpu ? job.device.name() : "cpu",
                          outcome.interrupted};
    record.complete = !outcome.interrupted;
    record.dataset = dataset_to_json(images);
    Json& json = record.own;
    json["detectors"] = Json::array({detector_to_json(job.detector)});
    json["scores"] = scores_to_json(facts.rules.tracking.tracker);
    if (facts.boxes) json["landmarks"] = landmarks_to_json(*job.landmarker, *facts.boxes);
    if (job.gallery != nullptr) {
        const GalleryInfo& gallery = job.gallery->info();
        json["gallery"] = {{"path", gallery.file.string()},
                           {"sha256", sha256_of_file(gallery.file)},
                           {"faces", gallery.faces}};
    }
    if (facts.rules.recogniser) json["recogniser"] = facts.rules.recogniser->name;
    if (facts.rules.tracking.rejoin) json["max_rejoin_distance"] = facts.rules.tracking.max_rejoin_distance;
    if (images.has_frames()) json["videos"] = videos_to_json(images);
    json["sequences"] = sequences_to_json(outcome.sequences);
    record.set_images(
        {outcome.images, outcome.unreadable, outcome.damaged, outcome.pages_left_out, images.skipped_files()},
        {{"tracks", outcome.tracks},
         {"boxes", outcome.boxes},
         {"detected", outcome.detected},
         {"named", outcome.named}});
    record.add_left_out(images.skipped(), images.passed_over());
    json["files"] = Json::array();
    for (const std::filesystem::path& file :
         {facts.folder.results(), facts.folder.tracks(), facts.folder.table()})
        json["files"].push_back(file_to_json(file));
    record.timings = {{"threads", facts.threads}, {"total_seconds", outcome.seconds}};
    if (!outcome.encoder.empty()) {
        json["annotated"] = {{"file", job.annotated.string()}, {"encoder", outcome.encoder}};
        record.timings["annotate_seconds"] = outcome.annotate_seconds;
    }
    write_json_file(facts.folder.manifest(), manifest_json(record));
}

}  // namespace fovea
