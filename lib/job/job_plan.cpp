#include "lib/job/job_plan.hpp"

#include <algorithm>

#include "lib/core/error.hpp"
#include "lib/core/threads.hpp"
#include "lib/files/folder.hpp"
#include "lib/job/compare_manifests.hpp"
#include "lib/job/fingerprint.hpp"
#include "lib/job/memory_plan.hpp"
#include "lib/job/resume_state.hpp"
#include "lib/landmark/crop_options.hpp"
#include "lib/video/nvdec.hpp"

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
                               const std::vector<LoadedDetector>& detectors, const Landmarker& landmarker) {
    std::vector<BoxRule> rules;
    for (const LoadedDetector& loaded : detectors) {
        rules.push_back(rule_for_detector(config, landmarker, detector_name(loaded.config), loaded.model));
    }
    if (config.uses(BoxSource::truth)) rules.push_back(rule_for_truth(config, landmarker, *dataset));
    return rules;
}

bool holds_something(const std::filesystem::path& output) {
    if (output.empty()) return false;
    if (is_folder(output)) return !entries_of(output).empty();
    std::error_code ignored;
    return is_file(output) && std::filesystem::file_size(output, ignored) > 0;
}

// A finished result is replaced by the same work, or if the user says so.
void check_replaces_own_results(const DetectionJob& job, const Json& description) {
    if (job.existing == ExistingResults::overwrite || job.images.earlier) return;
    // An interrupted job has finished nothing; find_resume_state() has refused those of 'fovea detect'.
    if (const auto journal = journal_path(job.files.results.at(0)); !journal.empty() && is_there(journal))
        return;
    std::vector<std::filesystem::path> outputs = job.files.results;
    outputs.push_back(job.files.features);
    if (is_folder(job.files.crops)) outputs.push_back(job.files.crops);
    outputs.insert(outputs.end(), job.files.reports.begin(), job.files.reports.end());
    const auto found = std::find_if(outputs.begin(), outputs.end(), holds_something);
    if (found == outputs.end()) return;
    std::string difference;
    std::filesystem::path there = *found;
    if (const std::optional<FinishedJob> before = find_finished_job(EarlierFiles::of(job.files))) {
        const Json now{{"work", description["work"]}, {"shard", description["shard"]}};
        difference = first_difference_in_work(now, before->work);
        const bool are_crops_of_others =
            holds_something(job.files.crops) && !is_same_place(before->crops, job.files.crops);
        if (difference.empty() && !are_crops_of_others) return;
        if (difference.empty()) there = job.files.crops;
    }
    const std::string flag = there == job.files.crops      ? "--crops"
                             : there == job.files.features ? "--features"
                                                           : "--out";
    refuse_finished_results(there, difference, flag);
}

// The most that JPEG files may be reduced by so that the smallest window that is wanted is still the
// detector's own or larger.
int largest_reduction(const std::vector<LoadedDetector>& detectors, const RunConfig& config) {
    if (!config.image.scaled_decoding || config.landmarks.uses(BoxSource::truth)) return 1;
    int largest = 8;
    for (const LoadedDetector& loaded : detectors) {
        const Size window = loaded.detector->window();
        const Size smallest = loaded.config.options.min_size;
        // A first window of another scale than the detector's own means the whole picture.
        if (loaded.config.options.start_scale != 1) return 1;
        while (largest > 1 &&
               (smallest.width < largest * window.width || smallest.height < largest * window.height))
            largest /= 2;
    }
    return largest;
}

DetectImagesOptions image_options(const DetectionJob& job, const ChosenDecoder& decoder, bool is_resident) {
    const RunConfig& config = job.config;
    DetectImagesOptions options = plan_memory(
        memory_request(config, job.images.images, resolve_threads(config.threads), job.device.is_cuda()));
    options.decode = decode_options(config.image);
    options.decode.largest_reduction = largest_reduction(job.detectors, config);
    if (is_resident) options.gpus = job.device.gpus;
    options.nvjpeg = decoder.nvjpeg;
    options.mixed_decoders = decoder.mixed;
    options.truth = job.images.annotated();
    if (job.images.earlier) options.first = job.images.earlier->mark.images;
    return options;
}

bool has_own_pictures(const ImageList& images) {
    for (std::size_t i = 0; i < images.size(); ++i) {
        if (images.video_name(i).empty()) return true;
    }
    return false;
}

// Empty: the CPU decodes all videos.
WhyNotOnGpu video_route(const DetectionJob& job, bool is_resident) {
    const VideoDecoderChoice choice = job.config.image.video_decoder;
    const bool is_demanded = choice == VideoDecoderChoice::nvdec;
    if (choice == VideoDecoderChoice::cpu || (!is_resident && !is_demanded)) return {};
    if (!job.device.is_cuda()) {
        if (!is_demanded) return {};
        throw UsageError(
            "NVDEC decodes for detection on a GPU, but it runs on the CPU; use --device cuda or "
            "--video-decoder cpu");
    }
    if (!is_resident) {
        throw UsageError(
            "NVDEC decodes for detectors on GPUs alone, and here are annotated boxes as well; use "
            "--video-decoder cpu");
    }
    if (!nvdec_library().loaded) {
        if (!is_demanded) return {};
        throw UsageError("videos cannot be decoded by NVDEC: " + nvdec_library().why_none +
                         "; use --video-decoder cpu");
    }
    return [gpus = job.device.gpus](const VideoSource& video) { return why_not_on_gpus(video, gpus); };
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
    plan.config = effective_config(job.config, job.detectors);
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
    plan.options = image_options(job, plan.decoder, is_resident);
    if (job.images.images.has_frames()) plan.options.why_not_on_gpu = video_route(job, is_resident);
    plan.journal = journal_path(job.files.results.at(0));
    // 'fovea run' always starts again.
    plan.is_resumable = job.command == "detect" && !plan.journal.empty();
    const JobMaterial material = JobMaterial::of(job);
    plan.work = result_fingerprint(job, plan.decoder);
    plan.description = job_fingerprint(material, plan.work);
    check_is_same_job(job.images, plan.description, job.files.results.at(0));
    add_inputs(material, job.files.inputs);
    check_outputs(job.files);
    check_replaces_own_results(job, plan.description);
    return plan;
}

}  // namespace fovea
