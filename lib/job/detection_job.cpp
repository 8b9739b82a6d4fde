#include "lib/job/detection_job.hpp"

#include <algorithm>
#include <cmath>

#include <spdlog/spdlog.h>

#include "kernels/core/device.hpp"
#include "kernels/measure/measure.hpp"
#include "lib/config/decoder_choice.hpp"
#include "lib/core/text.hpp"
#include "lib/core/threads.hpp"
#include "lib/dataset/readers/read_dataset.hpp"
#include "lib/detect/detector.hpp"
#include "lib/device/energy.hpp"
#include "lib/files/file.hpp"
#include "lib/files/find_model.hpp"
#include "lib/files/folder.hpp"
#include "lib/files/shortage.hpp"
#include "lib/job/compare_work.hpp"
#include "lib/job/output_guard.hpp"
#include "lib/job/stages/crop_writer.hpp"
#include "lib/job/work_description.hpp"
#include "lib/json/json.hpp"
#include "lib/results/tally.hpp"

namespace fovea {
namespace {

void check_outputs(const DetectionFiles& files) {
    std::vector<PlannedOutput> outputs;
    for (const std::filesystem::path& results : files.results) outputs.push_back({results, "results"});
    outputs.push_back({files.manifest, "manifest"});
    outputs.push_back({journal_path(files.results.at(0)), "journal"});
    outputs.push_back({files.features, "features"});
    for (const std::filesystem::path& report : files.reports) outputs.push_back({report, "report"});
    refuse_clashes(outputs);
}

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

// Where the detectors run: as chosen, unless none of them can.
std::string device_of(const std::vector<LoadedDetector>& detectors, const DetectionDevice& device) {
    const bool any = std::any_of(detectors.begin(), detectors.end(), [&](const LoadedDetector& loaded) {
        return loaded.detector->device_name() == device.name();
    });
    return any || detectors.empty() ? device.name() : detectors.front().detector->device_name();
}

// 'fovea run' always starts anew.
bool is_resumable(const DetectionJob& job) {
    return job.command == "detect" && !journal_path(job.files.results.at(0)).empty();
}

std::string how_to_go_on(const DetectionJob& job) {
    return is_resumable(job) ? "; go on with --resume" : "; run the command again";
}

// "64 of 200 images are finished; their results are in out/results.jsonl"
std::string what_is_finished(const DetectImagesOutcome& outcome, std::size_t total,
                             const DetectionFiles& files) {
    std::string text = std::to_string(outcome.images) + " of " + counted(total, "image") +
                       (outcome.images == 1 ? " is finished" : " are finished");
    std::string names;
    for (const std::filesystem::path& file : files.results) {
        names += (names.empty() ? "" : ", ") + (file == "-" ? "standard output" : file.string());
    }
    return outcome.images == 0 ? text : text + "; their results are in " + names;
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

constexpr double mebibyte = 1 << 20;

// Memory of the program itself: libraries, models, scanning. With GPUs also CUDA's libraries and their work on a batch.
constexpr double base_bytes = 96 * mebibyte;
constexpr double base_bytes_with_gpus = 512 * mebibyte;

// Each reading thread holds the beginning of a file, and one that is packed holds its unpacker, too.
constexpr double reader_bytes = 2 * mebibyte;

std::size_t bytes_of(double bytes) {
    return static_cast<std::size_t>(std::max(bytes, mebibyte));
}

// What an image of the list takes there, about.
constexpr double listed_bytes = 96;

DetectImagesOptions detect_options(const RunConfig& config, std::size_t images, int threads,
                                   const std::vector<int>& gpus, bool with_gpus, const RunHooks& hooks) {
    DetectImagesOptions options;
    options.threads = threads;
    options.decode = decode_options(config.image);
    const double limit = config.memory_limit_megabytes * mebibyte;
    const double base = with_gpus ? base_bytes_with_gpus : base_bytes;
    const double for_images = std::max(limit - base - listed_bytes * static_cast<double>(images), limit / 4);
    // Batches, spare memory, and what waits to become a batch: or one larger image that is decoded with nothing beside it.
    options.host_bytes = bytes_of(for_images * 3 / 8);
    options.spare_bytes = bytes_of(for_images / 8);
    options.prefetch_bytes =
        bytes_of(std::ceil(std::min(config.image.prefetch_megabytes * mebibyte, for_images / 4)));
    options.most_image_bytes = bytes_of(for_images * 5 / 8);
    options.max_readers = static_cast<int>(
        std::max(1.0, std::floor(static_cast<double>(options.prefetch_bytes) / reader_bytes)));
    // Enough images for every thread, few enough that progress is seen and an interruption is heard.
    options.batch_images = static_cast<std::size_t>(std::clamp(2 * threads, 8, 64));
    options.batch_bytes = bytes_of(std::min(64 * mebibyte, for_images / 8));
    if (with_gpus) {
        // A GPU wants many windows, and many files, at once; with twice as much it is no faster, and the pictures of a batch
        // that is let go no longer fit into the spare memory.
        options.batch_images = 256;
        options.batch_bytes = bytes_of(128 * mebibyte);
    }
    options.gpus = gpus;
    options.progress = hooks.progress;
    options.cancel = hooks.cancel;
    return options;
}

// By how much JPEG files may be reduced so that the smallest window that is wanted is still the detector's own or larger.
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

}  // namespace

std::vector<LoadedDetector> load_detectors(const RunConfig& config, const DetectionDevice& device,
                                           double min_confidence) {
    if (config.detectors.empty()) {
        throw UsageError(
            "no detector was given: name a model with --model, or list 'detectors' in the configuration");
    }
    std::vector<LoadedDetector> loaded;
    for (const DetectorConfig& detector : config.detectors) {
        if (detector.model.empty()) {
            throw UsageError("detector " + std::to_string(loaded.size() + 1) +
                             " has no model: name one with --model, or set 'model' in the configuration");
        }
        const std::filesystem::path model = find_model(detector.model);
        loaded.push_back({detector, model, load_detector(model, device)});
        const Detector& original = *loaded.back().detector;
        if (original.device_name() != "cpu") {
            loaded.back().make_for_gpu = [&original](const Device& gpu) {
                EngineVariant variant;
                variant.share = gpu.share();
                return original.copy_for_gpu(gpu.index(), variant);
            };
        }
        DetectorOptions& options = loaded.back().config.options;
        try {
            options = resolve_options(options, loaded.back().detector->traits(), min_confidence);
        } catch (const UsageError& error) {
            throw UsageError("the model " + model.string() +
                             " cannot run with these options: " + error.what());
        }
        spdlog::debug("{}: {}", detector_name(detector), loaded.back().detector->description());
    }
    return loaded;
}

RunConfig effective_config(const RunConfig& config, const std::vector<LoadedDetector>& detectors) {
    RunConfig effective = config;
    effective.detectors.clear();
    for (const LoadedDetector& loaded : detectors) effective.detectors.push_back(loaded.config);
    return effective;
}

Dataset read_configured_dataset(const DatasetConfig& config) {
    if (config.path.empty() && config.files.empty()) {
        throw UsageError(
            "no images were given: name a folder, a list or a dataset (FORMAT:PATH), or set 'dataset.path' "
            "in the configuration");
    }
    const DatasetOptions options{config.pattern, config.limit, config.root};
    Dataset dataset =
        config.path.empty() ? dataset_of_files(config.files, options) : read_dataset(config.path, options);
    for (const std::string& warning : dataset.warnings) spdlog::warn("{}", warning);
    std::vector<std::filesystem::path> inputs = dataset.sources;
    for (const Sample& sample : dataset.samples) inputs.push_back(sample.path);
    note_inputs(std::move(inputs));
    return dataset;
}

namespace {

/// The files of a job, its journal, and what an earlier run left in them.
class JobFiles {
  public:
    /// All files are open, and locked, and the journal is on the disk. Nothing of an earlier job is lost before begin().
    JobFiles(const DetectionJob& job, const Json& description)
        : journal_file_(journal_path(job.files.results.at(0))) {
        const std::optional<RecoveredJob>& earlier = job.images.earlier;
        const auto kept = [&](std::size_t output) {
            return earlier ? earlier->mark.outputs.at(output) : FileExtent{};
        };
        for (std::size_t i = 0; i < job.files.results.size(); ++i) {
            if (job.files.results[i] != "-") make_parent_folder(job.files.results[i]);
            writers.push_back(std::make_unique<ResultsWriter>(job.files.results[i], kept(i)));
            outputs_.push_back(&writers.back()->file());
        }
        if (job.recogniser) {
            make_parent_folder(job.files.features);
            features = std::make_unique<FeatureFile>(
                job.files.features, histogram_layout(*job.recogniser).bins, kept(job.files.results.size()));
            outputs_.push_back(&features->file());
        }
        if (journal_file_.empty()) return;
        const bool goes_on = earlier && is_there(journal_file_);
        journal_ = goes_on ? Journal::reopen(journal_file_, earlier->mark)
                           : Journal::create(journal_file_, description, job.images.images);
        // What was there before is not done again, should this job be interrupted at once.
        if (!earlier || goes_on) return;
        images_ = earlier->mark.images;
        mark();
    }

    /// From here on what an earlier job left in the files is gone.
    void begin() {
        for (AppendedFile* output : outputs_) output->begin();
    }

    /// The results of the first images are written. Tells the journal now and then.
    void written(std::size_t images) {
        images_ = images;
        if (since_mark_.seconds() >= seconds_to_next_mark()) mark();
    }

    /// All results are written that will be. \param complete none is missing.
    void close(bool complete) {
        mark();
        for (const auto& writer : writers) writer->close();
        if (features) features->close();
        complete_ = complete;
    }

    /// The manifest is written, too.
    void finish() {
        if (journal_ && complete_) journal_->remove();
    }

    std::vector<std::unique_ptr<ResultsWriter>> writers;
    std::unique_ptr<FeatureFile> features;

  private:
    // What an interruption costs at most. Short jobs are marked more often; half a second is nothing to redo, and the
    // disk is asked seldom enough.
    double seconds_to_next_mark() const { return std::min(0.5, 0.05 + 0.05 * since_start_.seconds()); }

    void mark() {
        if (journal_ && images_) journal_->mark(*images_, outputs_);
        since_mark_ = {};
    }

    std::filesystem::path journal_file_;
    std::vector<AppendedFile*> outputs_;
    std::optional<Journal> journal_;
    std::optional<std::size_t> images_;  // whose results are written, if any are new
    const Stopwatch since_start_;
    Stopwatch since_mark_;
    bool complete_ = false;
};

void check_is_same_job(const DetectionJob& job, const Json& description) {
    if (!job.images.earlier) return;
    const auto fail = [&](const std::string& why) {
        throw UsageError("cannot go on with " + job.files.results.at(0).string() + ": it holds results of " +
                         why +
                         "; give the same images and options as before, or start anew with --overwrite");
    };
    const std::string difference = work_difference(description, job.images.earlier->work);
    if (!difference.empty()) fail("other work (" + difference + ")");
    const std::size_t images = job.images.earlier->mark.images;
    if (images > job.images.images.size()) fail("more images (" + std::to_string(images) + ")");
}

// What an earlier run of the job has found, of each results file; nothing if there was none.
std::vector<ResultsTally> tally_earlier(const DetectionJob& job) {
    std::vector<ResultsTally> tallies;
    if (!job.images.earlier) return tallies;
    const JournalMark& mark = job.images.earlier->mark;
    for (std::size_t i = 0; i < job.files.results.size(); ++i)
        tallies.push_back(tally_results(job.files.results[i], mark.outputs.at(i).bytes));
    return tallies;
}

std::function<void(const DetectProgress&)> progress_of_whole(
    const std::vector<ResultsTally>& earlier, std::function<void(const DetectProgress&)> progress) {
    if (earlier.empty() || !progress) return progress;
    return [faces = earlier[0].detections, unreadable = earlier[0].unreadable.size(),
            progress = std::move(progress)](DetectProgress now) {
        now.faces += faces;
        now.unreadable += unreadable;
        progress(now);
    };
}

void add_earlier(const DetectionJob& job, std::vector<ResultsTally> earlier, DetectionJobOutcome& outcome) {
    if (earlier.empty()) return;
    outcome.resumed = job.images.earlier->mark.images;
    outcome.images.images += outcome.resumed;
    for (std::size_t i = 0; i < earlier.size(); ++i)
        outcome.images.tasks[i].detections += earlier[i].detections;
    auto& unreadable = outcome.images.unreadable;
    unreadable.insert(unreadable.begin(), std::make_move_iterator(earlier[0].unreadable.begin()),
                      std::make_move_iterator(earlier[0].unreadable.end()));
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

}  // namespace

DetectionJobOutcome run_detection_job(const DetectionJob& job, const RunHooks& hooks) {
    const RunConfig& config = job.config;
    const Dataset* const dataset = job.images.annotated();
    const ImageList& images = job.images.images;
    const LoadedLandmarker* const landmarker = job.landmarker;
    const bool in_truth = landmarker != nullptr && config.landmarks.uses(BoxSource::truth);
    if (in_truth && !has_truth(dataset)) {
        throw UsageError("landmarks are wanted in annotated boxes, but the dataset '" +
                         images.specification() + "' has no annotated faces; use the boxes of a detector");
    }
    std::vector<BoxRule> rules;
    if (landmarker != nullptr)
        rules = box_rules(config.landmarks, dataset, job.detectors, *landmarker->landmarker);
    if (!job.files.crops.empty()) check_has_eyes("crops of faces are", landmarker);
    if (job.recogniser) check_has_eyes("features of faces are", landmarker);
    const bool resident = !in_truth && !job.detectors.empty() &&
                          std::all_of(job.detectors.begin(), job.detectors.end(),
                                      [](const LoadedDetector& loaded) { return bool(loaded.make_for_gpu); });
    const ChosenDecoder decoder = choose_decoder(config.image, job.device, resident, has_truth(dataset));
    const Json work = describe_work(job, effective_config(config, job.detectors), decoder);
    const Json description = describe_job(job, work);
    check_is_same_job(job, description);

    check_outputs(job.files);
    std::optional<CropWriter> crops;
    if (!job.files.crops.empty()) crops.emplace(job.files.crops, images);
    if (hooks.stage) hooks.stage("detecting");
    JobFiles files(job, description);
    remove_stale_manifest(job.files.manifest);
    for (const std::filesystem::path& report : job.files.reports) remove_file(report);
    files.begin();
    std::vector<DetectTask> tasks;
    DetectionJobOutcome outcome;
    for (std::size_t i = 0; i < job.files.results.size(); ++i) {
        DetectTask& task = tasks.emplace_back();
        task.writer = files.writers[i].get();
        if (landmarker != nullptr) task.landmarks = landmarker->stage(rules[i]);
        if (i == 0 && crops) task.crops = &*crops;
        if (i == 0 && job.recogniser) task.features = {*job.recogniser, files.features.get()};
        if (i == job.detectors.size()) continue;  // the annotated boxes
        const LoadedDetector& loaded = job.detectors[i];
        task.detector = loaded.detector.get();
        task.options = loaded.config.options;
        task.make_for_gpu = loaded.make_for_gpu;
        outcome.detectors.push_back({loaded.config,
                                     loaded.model,
                                     loaded.detector->description(),
                                     loaded.detector->window(),
                                     job.files.results[i],
                                     loaded.detector->device_name(),
                                     {}});
    }
    if (landmarker != nullptr) {
        outcome.landmarks = {landmarker->model, landmarker->landmarker->description(),
                             landmarker->landmarker->device_name(), rules,
                             in_truth ? std::optional(job.files.results.back()) : std::nullopt};
    }
    const int threads = resolve_threads(config.threads);
    const std::vector<int> gpus = resident ? job.device.gpus : std::vector<int>{};
    DetectImagesOptions options =
        detect_options(config, images.whole_size(), threads, gpus, job.device.is_cuda(), hooks);
    options.decode.largest_reduction = largest_reduction(job.detectors, config);
    options.nvjpeg = decoder.nvjpeg;
    options.mixed_decoders = decoder.mixed;
    options.truth = dataset;
    if (job.images.earlier) options.first = job.images.earlier->mark.images;
    std::vector<ResultsTally> earlier = tally_earlier(job);
    options.progress = progress_of_whole(earlier, std::move(options.progress));
    options.written = [&](std::size_t done) { files.written(done); };
    EnergyMeter meter(bus_ids(job.device));
    meter.start();
    try {
        outcome.images = detect_images(images, tasks, options);
    } catch (const AppendError& error) {
        if (!is_resumable(job)) throw;
        throw Error(error.what() + std::string(" Free some space, or put right what the system complains of, "
                                               "and go on with --resume."));
    }
    const std::size_t done_here = outcome.images.images;
    const EnergyReading energy = meter.stop();
    files.close(!outcome.images.interrupted);
    add_earlier(job, std::move(earlier), outcome);
    for (std::size_t i = 0; i < outcome.detectors.size(); ++i) {
        outcome.detectors[i].counters = outcome.images.tasks[i].counters;
    }

    if (!job.files.manifest.empty()) {
        make_parent_folder(job.files.manifest);
        ManifestFacts facts{job, outcome, work, decoder};
        facts.config = effective_config(config, job.detectors);
        facts.device = device_of(job.detectors, job.device);
        facts.threads = threads;
        facts.done_here = done_here;
        facts.energy = energy;
        if (files.features) facts.feature_rows = files.features->rows();
        outcome.manifest = make_manifest(facts);
        write_json_file(job.files.manifest, outcome.manifest);
    }
    files.finish();
    if (outcome.images.was_short) {
        throw ShortageError(outcome.images.error + "; " +
                            what_is_finished(outcome.images, images.size(), job.files) + how_to_go_on(job));
    }
    if (!outcome.images.error.empty()) {
        throw DeviceError("detection on " + job.device.name() + " failed: " + outcome.images.error + "; " +
                          what_is_finished(outcome.images, images.size(), job.files));
    }
    return outcome;
}

}  // namespace fovea
