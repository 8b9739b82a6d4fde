#include "lib/run/track/track_manifest.hpp"

#include <algorithm>
#include <cmath>

#include "lib/files/folder.hpp"
#include "lib/files/sha256.hpp"
#include "lib/job/manifest_file.hpp"
#include "lib/job/manifest_parts.hpp"

namespace fovea {
namespace {

Json file_to_json(const std::filesystem::path& file) {
    return {{"file", file.filename().string()}, {"sha256", sha256_of_file(file)}};
}

/// The images of the job's own sequences.
ImageList images_of(const JobImages& images, const TrackPlan& plan) {
    if (!images.shard) return images.images;
    std::vector<bool> belongs(images.images.size());
    for (const PlannedSequence& sequence : plan.sequences)
        std::fill_n(belongs.begin() + static_cast<std::ptrdiff_t>(sequence.frames.first),
                    sequence.frames.count, true);
    return images.images.part([&](std::size_t i) { return belongs[i]; });
}

Json videos_to_json(const ImageList& images, const TrackPlan& plan) {
    Json json = Json::array();
    for (const PlannedSequence& sequence : plan.sequences) {
        if (const std::optional<VideoFrame> first = images.frame(sequence.frames.first))
            json.push_back(video_to_json(sequence.frames.name, *first->video));
    }
    return json;
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

Json tracks_to_manifest(const FollowedCounts& found) {
    return {{"tracks", found.tracks},
            {"boxes", found.boxes},
            {"detected", found.detected},
            {"named", found.named}};
}

}  // namespace

void set_found(Json& manifest, const TrackJobResult& outcome, std::size_t skipped_files) {
    manifest["sequences"] = sequences_to_json(outcome.sequences);
    set_images(manifest, outcome.found, skipped_files, tracks_to_manifest(outcome.found));
}

Json files_to_json(const TrackFolder& folder) {
    Json json = Json::array();
    for (const std::filesystem::path& file : {folder.results(), folder.tracks(), folder.table()})
        json.push_back(file_to_json(file));
    if (is_file(folder.decisions())) json.push_back(file_to_json(folder.decisions()));
    return json;
}

void write_track_manifest(const TrackJob& job, const TrackPlan& plan, const TrackJobResult& outcome) {
    const ImageList& all = job.images.images;
    const ImageList images = images_of(job.images, plan);
    const TrackFolder folder{job.folder.path()};
    ManifestRecord record =
        job_record("track", job, plan.on_gpu ? job.device.name() : "cpu", outcome.interrupted);
    record.dataset = dataset_to_json(images);
    Json& json = record.own;
    add_work(plan.work, images, job.images.shard, json);
    json["detectors"] = Json::array({detector_to_json(job.detectors[0])});
    json["scores"] = scores_to_json(plan.rules.tracking.tracker);
    if (plan.boxes) {
        json["landmarks"] = landmarker_to_json(*job.landmarker);
        json["landmarks"].update(rule_to_json(*plan.boxes));
    }
    if (job.gallery != nullptr) {
        const GalleryInfo& gallery = job.gallery->info();
        json["gallery"] = {{"path", gallery.file.string()},
                           {"sha256", sha256_of_file(gallery.file)},
                           {"faces", gallery.faces}};
    }
    if (plan.rules.recogniser) json["recogniser"] = plan.rules.recogniser->name;
    if (plan.rules.tracking.rejoin) json["max_rejoin_distance"] = plan.rules.tracking.max_rejoin_distance;
    if (images.has_frames()) json["videos"] = videos_to_json(all, plan);
    json["sequences"] = sequences_to_json(outcome.sequences);
    record.set_images(outcome.found, all.skipped_files(), tracks_to_manifest(outcome.found));
    record.add_left_out(all.skipped(), all.passed_over());
    json["files"] = files_to_json(folder);
    record.timings = {{"threads", plan.reading.threads}, {"total_seconds", outcome.seconds}};
    if (!job.annotated.empty()) {
        // Until they are complete, this says that videos of that name are the job's own.
        json["annotated"] = {{"file", job.annotated.string()},
                             {"encoder", outcome.encoder.empty() ? Json() : Json(outcome.encoder)},
                             {"smoothing", job.config.tracking.smoothing}};
        if (!outcome.annotation_notes.empty()) json["annotated"]["notes"] = outcome.annotation_notes;
        if (outcome.is_annotated) record.timings["annotate_seconds"] = outcome.annotate_seconds;
    }
    write_json_file(folder.manifest(), manifest_json(record));
}

}  // namespace fovea
