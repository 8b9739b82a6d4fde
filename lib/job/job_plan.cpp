#include "lib/job/job_plan.hpp"

#include <algorithm>

#include "kernels/face_sharpness/face_sharpness.hpp"
#include "lib/core/error.hpp"
#include "lib/files/folder.hpp"
#include "lib/files/staged_files.hpp"
#include "lib/job/manifest.hpp"
#include "lib/job/memory_plan.hpp"
#include "lib/job/resume_state.hpp"

namespace fovea {
namespace {

// Faces are turned by their eyes. \param what_are e.g. "crops of faces are"
void check_has_eyes(const std::string& what_are, const LoadedLandmarker* landmarker) {
    if (landmarker == nullptr) {
        throw UsageError(what_are +
                         " aligned by landmarks, but none are looked for; name a model with --landmarks");
    }
    const int points = landmarker->landmarker->model().points;
    if (eye_landmarks(points).count > 0) return;
    throw UsageError(what_are + " made with the eyes, which are not known among the " +
                     std::to_string(points) + " landmarks of " + landmarker->model.string() +
                     "; use a model of 68 or 5");
}

bool has_truth(const Dataset* dataset) {
    return dataset != nullptr && dataset->has_ground_truth();
}

// For the boxes of every task: those of the detectors, then those of the truth.
std::vector<BoxRule> box_rules(const LandmarkConfig& config, const Dataset* dataset,
                               std::span<const LoadedDetector> detectors, const Landmarker& landmarker) {
    std::vector<BoxRule> rules;
    for (const LoadedDetector& loaded : detectors) {
        rules.push_back(rule_for_detector(config, landmarker, detector_name(loaded.config), loaded.model));
    }
    if (config.uses(BoxSource::truth)) rules.push_back(rule_for_truth(config, landmarker, *dataset));
    return rules;
}

void check_outputs(const DetectionFiles& files) {
    std::vector<PlannedOutput> outputs;
    for (const std::filesystem::path& results : files.results) outputs.push_back({results, "results"});
    outputs.push_back({files.manifest, "manifest"});
    outputs.push_back({journal_path(files.results.at(0)), "journal"});
    outputs.push_back({files.features, "features"});
    for (const std::filesystem::path& report : files.reports) outputs.push_back({report, "report"});
    files.inputs.refuse_clashes(outputs);
    refuse_folder(files.results.at(0), "--out");
    refuse_folder(files.features, "--features");
}

std::vector<PlannedOutput> replaced_outputs(const DetectionFiles& files) {
    std::vector<PlannedOutput> outputs;
    for (const std::filesystem::path& results : files.results) outputs.push_back({results, "--out"});
    outputs.push_back({files.features, "--features"});
    if (is_folder(files.crops)) outputs.push_back({files.crops, "--crops"});
    for (const std::filesystem::path& report : files.reports) outputs.push_back({report, "--out"});
    return outputs;
}

// The most that JPEG files may be reduced by so that the smallest window that is wanted is still the
// detector's own or larger, and has the pixels that the sharpness of a face is measured at, if it is.
int largest_reduction(std::span<const LoadedDetector> detectors, const RunConfig& config,
                      bool measures_faces) {
    if (!config.image.scaled_decoding || config.landmarks.uses(BoxSource::truth)) return 1;
    int largest = 8;
    for (const LoadedDetector& loaded : detectors) {
        const Size own = loaded.detector->window();
        const int least = measures_faces ? sharpness_side : 0;
        const Size window{std::max(own.width, least), std::max(own.height, least)};
        const Size smallest = loaded.config.options.min_size;
        // A first window of another scale than the detector's own means the whole picture.
        if (loaded.config.options.start_scale != 1) return 1;
        while (largest > 1 &&
               (smallest.width < largest * window.width || smallest.height < largest * window.height))
            largest /= 2;
    }
    return largest;
}

bool has_own_pictures(const ImageList& images) {
    for (std::size_t i = 0; i < images.size(); ++i) {
        if (images.video_name(i).empty()) return true;
    }
    return false;
}

}  // namespace

JobPlan plan_job(const DetectionJob& job) {
    const Dataset* const dataset = job.images.annotated();
    JobPlan plan;
    plan.has_truth_task = job.landmarker != nullptr && job.config.landmarks.uses(BoxSource::truth);
    if (plan.has_truth_task && !has_truth(dataset)) {
        throw UsageError("landmarks are wanted in annotated boxes, but the dataset '" +
                         job.images.images.specification() +
                         "' has no annotated faces; use the boxes of a detector");
    }
    if (job.landmarker != nullptr) {
        plan.boxes = box_rules(job.config.landmarks, dataset, job.detectors, *job.landmarker->landmarker);
    }
    check_crop_options(job.files.crop_options);
    const bool are_aligned = !job.files.crops.empty() && job.files.crop_options.kind == CropKind::aligned;
    if (are_aligned) check_has_eyes("crops of faces are", job.landmarker);
    if (job.recogniser) {
        check_has_eyes("features of faces are", job.landmarker);
        plan.feature_bins = job.recogniser->kind->metric(*job.recogniser).length;
    }
    // Images that stay on the GPUs from decoding to results.
    const bool is_resident =
        !plan.has_truth_task && !job.detectors.empty() &&
        std::all_of(job.detectors.begin(), job.detectors.end(), [](const LoadedDetector& loaded) {
            // The host continues images by a border.
            return !loaded.detector->gpus().empty() && loaded.config.options.border == 0;
        });
    // Frames of videos are no JPEG files: nvJPEG need not be loaded for them alone.
    const bool has_pictures = !job.images.images.has_frames() || has_own_pictures(job.images.images);
    const bool may_be_jpeg = has_pictures || job.config.image.decoder == DecoderChoice::nvjpeg;
    plan.decoder = may_be_jpeg ? choose_decoder(job.config.image, job.device, is_resident, has_truth(dataset))
                               : ChosenDecoder{};
    plan.options = plan_reading(job, is_resident, false);
    plan.options.decode.largest_reduction = largest_reduction(job.detectors, job.config, job.measures_faces);
    plan.options.nvjpeg = plan.decoder.nvjpeg;
    plan.options.mixed_decoders = plan.decoder.mixed;
    plan.options.truth = dataset;
    if (job.images.earlier) plan.options.first = job.images.earlier->mark.images;
    plan.journal = journal_path(job.files.results.at(0));
    // 'fovea run' always starts again.
    plan.is_resumable = job.command == "detect" && !plan.journal.empty();
    Json more = Json::object();
    if (job.recogniser) more["recogniser"] = feature_fingerprint(*job.recogniser);
    if (job.measures_faces) more["quality"] = true;
    if (!job.files.crops.empty()) more["crops"] = crop_options_to_json(job.files.crop_options);
    plan.work = result_fingerprint(job, plan.decoder, more);
    plan.description = job_fingerprint(job, plan.work);
    add_inputs(job, job.files.inputs);
    check_outputs(job.files);
    check_earlier_results(job, plan.description, EarlierFiles::of(job.files), replaced_outputs(job.files),
                          job.files.crops);
    return plan;
}

}  // namespace fovea
