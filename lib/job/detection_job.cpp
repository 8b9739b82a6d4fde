#include "lib/job/detection_job.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include <spdlog/spdlog.h>

#include "kernels/core/device.hpp"
#include "kernels/measure/measure.hpp"
#include "lib/config/device_choice.hpp"
#include "lib/core/text.hpp"
#include "lib/device/energy.hpp"
#include "lib/files/shortage.hpp"
#include "lib/files/staged_files.hpp"
#include "lib/job/earlier_crops.hpp"
#include "lib/job/job_files.hpp"
#include "lib/job/lone_images.hpp"
#include "lib/job/manifest.hpp"
#include "lib/job/manifest_file.hpp"
#include "lib/job/resume_state.hpp"
#include "lib/job/stages/crop_writer.hpp"
#include "lib/results/tally.hpp"

namespace fovea {
namespace {

// "64 of 200 images are finished; their results are in out/results.jsonl"
std::string what_is_finished(const DetectImagesResult& outcome, std::size_t total,
                             const DetectionFiles& files) {
    std::string text = std::to_string(outcome.images) + " of " + counted(total, "image") +
                       (outcome.images == 1 ? " is finished" : " are finished");
    std::string names;
    for (const std::filesystem::path& file : files.results) {
        names += (names.empty() ? "" : ", ") + (file == "-" ? "standard output" : file.string());
    }
    return outcome.images == 0 ? text : text + "; their results are in " + names;
}

// The findings of an earlier run of the job, for each results file; nothing if there was none.
std::vector<ResultsTally> tally_earlier(const DetectionJob& job) {
    std::vector<ResultsTally> tallies;
    if (!job.images.earlier) return tallies;
    const JournalMark& mark = job.images.earlier->mark;
    for (std::size_t i = 0; i < job.files.results.size(); ++i)
        tallies.push_back(tally_results(job.files.results[i], mark.outputs.at(i).bytes));
    return tallies;
}

std::function<void(const JobProgress&)> progress_of_whole(const std::vector<ResultsTally>& earlier,
                                                          std::function<void(const JobProgress&)> progress) {
    if (earlier.empty() || !progress) return progress;
    return [faces = earlier[0].detections, unreadable = earlier[0].unreadable.size(),
            progress = std::move(progress)](JobProgress now) {
        now.faces += faces;
        now.unreadable += unreadable;
        progress(now);
    };
}

void add_earlier(const DetectionJob& job, std::vector<ResultsTally> earlier, DetectionJobResult& outcome) {
    if (earlier.empty()) return;
    outcome.resumed = job.images.earlier->mark.images;
    for (std::size_t i = 0; i < earlier.size(); ++i)
        outcome.images.tasks[i].detections += earlier[i].detections;
    ImageCounts& counts = outcome.images;
    earlier[0].add(counts);
    counts = std::move(earlier[0]);
}

std::vector<std::string> bus_ids(const DetectionDevice& device) {
    std::vector<std::string> ids;
    for (const int gpu : device.gpus) {
        try {
            ids.push_back(cuda_pci_bus_id(gpu));
        } catch (const DeviceError&) {
            ids.emplace_back();  // the meter then says that there is no such GPU
        }
    }
    return ids;
}

// One task per results file: those of the detectors, then that of the annotated boxes.
std::vector<DetectorTask> make_tasks(const DetectionJob& job, const JobPlan& plan, JobFiles& files,
                                     CropWriter* crops) {
    std::vector<DetectorTask> tasks;
    for (std::size_t i = 0; i < job.files.results.size(); ++i) {
        DetectorTask& task = tasks.emplace_back();
        task.writer = &files.writer(i);
        if (job.landmarker != nullptr) task.landmarks = job.landmarker->stage(plan.boxes[i]);
        task.measures_faces = job.measures_faces;
        if (i == 0) task.crops = crops;
        if (i == 0 && plan.feature_bins > 0) task.features = {*job.recogniser, files.features()};
        if (i == job.detectors.size()) continue;  // the annotated boxes
        const LoadedDetector& loaded = job.detectors[i];
        task.detector = loaded.detector.get();
        task.options = loaded.config.options;
        task.box_offsets = loaded.config.box_offsets;
    }
    return tasks;
}

/// When the first run of the job began, in seconds since 1970.
std::int64_t beginning_of(const DetectionJob& job) {
    std::chrono::milliseconds began = std::chrono::duration_cast<std::chrono::milliseconds>(
        std::chrono::system_clock::now().time_since_epoch());
    if (job.images.earlier && job.images.earlier->began.count() > 0) began = job.images.earlier->began;
    return std::chrono::duration_cast<std::chrono::seconds>(began).count();
}

void throw_if_it_failed(const DetectionJob& job, const JobPlan& plan, const DetectImagesResult& images) {
    const std::string finished = "; " + what_is_finished(images, job.images.images.size(), job.files);
    if (images.was_short) {
        throw ShortageError(images.error + finished +
                            (plan.is_resumable ? "; go on with --resume" : "; run the command again"));
    }
    if (!images.error.empty()) {
        throw DeviceError("detection on " + job.device.name() + " failed: " + images.error + finished);
    }
}

}  // namespace

DetectionJobResult run_detection_job(const DetectionJob& job, const JobPlan& plan, const JobHooks& hooks) {
    tell_why_no_gpu(job.device);
    if (!job.images.earlier) remove_earlier_crops(job.files);
    std::optional<CropWriter> crops;
    if (!job.files.crops.empty()) {
        crops.emplace(OutputFolder(job.files.crops, job.files.inputs), job.images.images,
                      job.files.crop_options, plan.options.decode);
    }
    hooks.begin_stage("detecting");
    const std::int64_t began = beginning_of(job);

    JobFiles files(job, plan);
    files.begin(job.files);
    const std::vector<DetectorTask> tasks = make_tasks(job, plan, files, crops ? &*crops : nullptr);
    std::vector<ResultsTally> earlier = tally_earlier(job);
    DetectImagesOptions options = plan.options;
    options.hooks = hooks;
    options.hooks.progress = progress_of_whole(earlier, hooks.progress);
    std::size_t unreadable_alone = 0;
    options.written = [&](std::size_t images, std::size_t unreadable) {
        files.written(images, unreadable_alone + unreadable);
    };

    EnergyMeter meter(bus_ids(job.device));
    meter.start();
    DetectionJobResult outcome;
    const auto detect_all = [&] {
        DetectImagesResult before;
        if (const std::size_t lone = lone_images(job); lone > 0) {
            spdlog::warn("the job was killed for its memory: it goes on with one image at a time");
            before = detect_lone_images(job, tasks, options, lone, files);
            options.first += lone;
            unreadable_alone = before.unreadable.size();
            if (before.interrupted || !before.error.empty()) return before;
        }
        DetectImagesResult result = detect_images(job.images.images, tasks, options);
        if (!before.tasks.empty()) add_images(std::move(before), result);
        return result;
    };
    outcome.images = plan.is_resumable ? with_way_to_resume(detect_all) : detect_all();
    const EnergyReading energy = meter.stop();
    files.close(!outcome.images.interrupted);

    outcome.boxes = plan.boxes;
    outcome.began = began;
    add_earlier(job, std::move(earlier), outcome);
    if (!job.files.manifest.empty()) {
        make_parent_folder(job.files.manifest);
        const std::size_t feature_rows = files.features() == nullptr ? 0 : files.features()->rows();
        outcome.manifest = make_manifest(job, plan, outcome, energy, feature_rows);
        write_json_file(job.files.manifest, outcome.manifest);
    }
    files.finish();
    throw_if_it_failed(job, plan, outcome.images);
    return outcome;
}

}  // namespace fovea
