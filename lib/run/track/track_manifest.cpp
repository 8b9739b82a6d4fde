#include "lib/run/track/track_manifest.hpp"

#include <filesystem>
#include <set>
#include <string_view>
#include <vector>

#include "lib/files/folder.hpp"
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

Json videos_to_json(const ImageList& images) {
    Json json = Json::array();
    for (const FrameSequence& sequence : sequences_of(images)) {
        if (const std::optional<VideoFrame> first = images.frame(sequence.first))
            json.push_back(video_to_json(sequence.name, *first->video));
    }
    return json;
}

/// The images of the job's own sequences.
ImageList images_of(const JobImages& images, const TrackJobResult& outcome) {
    if (!images.shard) return images.images;
    std::set<std::string_view> names;
    for (const SequenceRecord& sequence : outcome.sequences) names.insert(sequence.name);
    std::vector<bool> belongs(images.images.size());
    for (const FrameSequence& sequence : sequences_of(images.images)) {
        if (!names.contains(sequence.name)) continue;
        for (std::size_t i = 0; i < sequence.count; ++i) belongs[sequence.first + i] = true;
    }
    return images.images.part([&](std::size_t i) { return belongs[i]; });
}

Json scores_to_json(const TrackerOptions& tracker) {
    const auto number = [](double score) { return std::isfinite(score) ? Json(score) : Json(nullptr); };
    return {{"begins_a_track", number(tracker.min_score)},
            {"continues_a_track", number(tracker.min_weak_score)}};
}

Json sequences_to_json(const std::vector<SequenceRecord>& sequences) {
    Json json = Json::array();
    for (const SequenceRecord& sequence : sequences) json.push_back(to_json(sequence));
    return json;
}

ManifestImages images_to_manifest(const FollowedCounts& found, std::size_t skipped_files) {
    return {found.frames, found.unreadable, found.damaged, found.pages_left_out, skipped_files};
}

Json tracks_to_manifest(const FollowedCounts& found) {
    return {{"tracks", found.tracks},
            {"boxes", found.boxes},
            {"detected", found.detected},
            {"named", found.named}};
}

}  // namespace

void set_found(Json& manifest, const TrackJobResult& outcome, std::size_t skipped_files) {
    manifest["sequences"] = sequences_to_json(outcome.sequences);
    set_images(manifest, images_to_manifest(outcome.found, skipped_files), tracks_to_manifest(outcome.found));
}

Json files_to_json(const TrackFolder& folder) {
    Json json = Json::array();
    for (const std::filesystem::path& file : {folder.results(), folder.tracks(), folder.table()})
        json.push_back(file_to_json(file));
    if (is_file(folder.decisions())) json.push_back(file_to_json(folder.decisions()));
    return json;
}

void write_track_manifest(const TrackManifestFacts& facts) {
    const TrackJob& job = facts.job;
    const TrackJobResult& outcome = facts.outcome;
    RunConfig config = job.config;
    config.detectors = {job.detector.config};
    const ImageList images = images_of(job.images, outcome);
    ManifestRecord record{"track", run_config_to_json(config), facts.on_gpu ? job.device.name() : "cpu",
                          outcome.interrupted};
    record.complete = !outcome.interrupted;
    record.dataset = dataset_to_json(images);
    Json& json = record.own;
    json["work"] = work_to_json(facts.work, images);
    if (job.images.shard) add_shard(*job.images.shard, images, json);
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
    const std::size_t skipped_files = job.images.images.skipped_files();
    json["sequences"] = sequences_to_json(outcome.sequences);
    record.set_images(images_to_manifest(outcome.found, skipped_files), tracks_to_manifest(outcome.found));
    record.add_left_out(job.images.images.skipped(), job.images.images.passed_over());
    json["files"] = files_to_json(facts.folder);
    record.timings = {{"threads", facts.threads}, {"total_seconds", outcome.seconds}};
    if (!job.annotated.empty()) {
        // Until they are complete, this says that videos of that name are the job's own.
        json["annotated"] = {{"file", job.annotated.string()},
                             {"encoder", outcome.encoder.empty() ? Json() : Json(outcome.encoder)},
                             {"smoothing", job.config.tracking.smoothing}};
        if (!outcome.annotation_notes.empty()) json["annotated"]["notes"] = outcome.annotation_notes;
        if (outcome.is_annotated) record.timings["annotate_seconds"] = outcome.annotate_seconds;
    }
    write_json_file(facts.folder.manifest(), manifest_json(record));
}

}  // namespace fovea
