#include "lib/run/track/track_plan.hpp"

#include <spdlog/fmt/fmt.h>

#include "kernels/face_crop/face_crop.hpp"
#include "lib/core/error.hpp"
#include "lib/files/output_path.hpp"
#include "lib/files/sha256.hpp"
#include "lib/job/memory_plan.hpp"
#include "lib/landmark/face_crops.hpp"
#include "lib/video/write/video_writer.hpp"

namespace fovea {
namespace {

TrackingRules rules_of(const TrackJob& job, const std::optional<BoxRule>& boxes) {
    TrackingRules rules;
    rules.tracking = job.config.tracking;
    rules.detection = job.detectors[0].config.options;
    set_tracking_scores(default_min_confidence, rules.detection, rules.tracking.tracker);
    if (boxes) rules.landmarks = job.landmarker->stage(*boxes);
    bool& rejoins = rules.tracking.rejoin;
    const bool must_rejoin = rejoins;
    if (must_rejoin && rules.tracking.separate)
        throw UsageError("--rejoin and --separate contradict each other; name one of them");
    rejoins = !rules.tracking.separate;
    if (!rejoins && job.gallery == nullptr) return rules;
    if (!boxes || eye_landmarks(job.landmarker->landmarker->model().points).count == 0) {
        rejoins = false;
        if (!must_rejoin && job.gallery == nullptr) return rules;
        throw UsageError(std::string(job.gallery != nullptr ? "--gallery" : "--rejoin") +
                         " compares faces by their eyes; name a landmark model of 68 or 5 points with "
                         "--landmarks");
    }
    RecogniserConfig recogniser =
        job.gallery != nullptr ? job.gallery->info().recogniser : load_recogniser(rules.tracking.recogniser);
    double& max_distance = rules.tracking.max_rejoin_distance;
    if (rejoins && max_distance == 0) {
        if (const std::optional<double> known = default_rejoin_distance(recogniser)) {
            max_distance = *known;
        } else if (must_rejoin) {
            throw UsageError(
                "recogniser '" + recogniser.name + "' has no threshold at a false accept rate of " +
                fmt::format("{}", rejoin_far) +
                "; measure it by 'fovea train thresholds', or give a distance with --max-rejoin-distance");
        } else {
            rejoins = false;
        }
    }
    if (rejoins || job.gallery != nullptr) rules.recogniser = std::move(recogniser);
    return rules;
}

/// \throws UsageError if one file is to hold several sequences, or no video can be written.
std::vector<PlannedSequence> sequences_of(const TrackJob& job, bool on_gpu) {
    const std::vector<FrameSequence> all = sequences_of(job.images.images);
    std::vector<std::string> names;
    for (const FrameSequence& sequence : all) names.push_back(sequence.name);
    const std::vector<std::string> stems = sequence_stems(names);
    const std::filesystem::path& output = job.annotated;
    if (!output.empty()) VideoWriter::require_encoder(on_gpu);
    const bool is_one_file = output.extension() == ".mp4" || output.extension() == ".mkv";
    if (is_one_file && all.size() != 1) {
        throw UsageError("'" + output.string() + "' is one file, but there are " +
                         std::to_string(all.size()) + " videos; name a folder with --annotate");
    }
    std::vector<PlannedSequence> own;
    const std::optional<Shard>& shard = job.images.shard;
    for (std::size_t i = 0; i < all.size(); ++i) {
        std::filesystem::path annotated = output;
        if (!output.empty() && !is_one_file) annotated = path_below(output, stems[i] + ".mp4");
        if (!shard || shard_of(all[i].name, shard->count) == shard->index)
            own.push_back({all[i], i, stems[i], std::move(annotated)});
    }
    return own;
}

Json work_of(const TrackJob& job, const TrackingRules& rules) {
    Json more;
    more["tracking"] = run_config_to_json(job.config)["tracking"];
    // It is for annotated videos alone, and the recogniser has a fingerprint.
    for (const char* key : {"smoothing", "recogniser"}) more["tracking"].erase(key);
    if (rules.recogniser) more["recogniser"] = feature_fingerprint(*rules.recogniser);
    if (job.gallery != nullptr) {
        more["gallery"] = {
            {"sha256", sha256_of_file(job.gallery->info().file)},
            {"max_distance", job.max_gallery_distance ? Json(*job.max_gallery_distance) : Json()}};
    }
    return result_fingerprint(job, ChosenDecoder{}, more);
}

}  // namespace

TrackPlan plan_track_job(const TrackJob& job) {
    InputFiles inputs = job.folder.inputs();
    if (!job.config.tracking.separate) inputs.add(find_recogniser(job.config.tracking.recogniser));
    add_inputs(job, inputs);
    TrackPlan plan;
    const LoadedDetector& detector = job.detectors[0];
    plan.on_gpu = job.device.is_cuda() && !detector.detector->gpus().empty();
    plan.sequences = sequences_of(job, plan.on_gpu);
    if (job.landmarker != nullptr) {
        plan.boxes = rule_for_detector(job.config.landmarks, *job.landmarker->landmarker,
                                       detector_name(detector.config), detector.model);
    }
    plan.rules = rules_of(job, plan.boxes);
    plan.reading = plan_reading(job, plan.on_gpu, true);
    plan.work = work_of(job, plan.rules);
    plan.description = job_fingerprint(job, plan.work);
    return plan;
}

}  // namespace fovea
