#pragma once

#include <functional>
#include <memory>

#include "lib/inputs/shard.hpp"
#include "lib/job/journal/journal.hpp"
#include "lib/job/manifest.hpp"

namespace fovea {

/// The least confidence of a detection where faces are wanted and no curve of them: one less certain is more likely
/// none.
inline constexpr double least_confidence = 0.5;

/// How a long job talks to whoever started it. All may be empty.
struct RunHooks {
    std::function<void(const DetectProgress&)> progress;
    std::function<void(const std::string&)> stage;  ///< a new stage begins, e.g. "evaluating"
    const std::atomic<bool>* cancel = nullptr;      ///< see DetectImagesOptions
};

/// A detector as configured, with its model in memory.
struct LoadedDetector {
    DetectorConfig config;
    std::filesystem::path model;
    std::unique_ptr<Detector> detector;
    /// See DetectTask::make_for_gpu; of the detector above, which must outlive it. Empty if that does not run on GPUs.
    std::function<std::unique_ptr<Detector>(const Device& gpu)> make_for_gpu{};
};

/// Finds and loads the models of a configuration, and resolves their options. \param min_confidence as
/// resolve_options has it.
/// \throws UsageError naming the model if its kind cannot do what the options ask for;
/// \throws UsageError if there is no detector, a detector has no model, or a model is not found; Error if one
/// is broken; what load_detector throws of the device.
std::vector<LoadedDetector> load_detectors(const RunConfig& config, const DetectionDevice& device,
                                           double min_confidence = 0);

/// The configuration with the options of its detectors as they were resolved.
RunConfig effective_config(const RunConfig& config, const std::vector<LoadedDetector>& detectors);

/// Reads the dataset of a configuration and logs its warnings.
/// \throws UsageError if none is configured; what read_dataset and dataset_of_files throw.
Dataset read_configured_dataset(const DatasetConfig& config);

/// Which files a detection job writes.
struct DetectionFiles {
    std::vector<std::filesystem::path>
        results;  ///< one per detector, then that of annotated boxes; "-" is standard output
    std::filesystem::path manifest;    ///< empty = none
    std::filesystem::path crops{};     ///< folder for the aligned faces of the first results; empty = none
    std::filesystem::path features{};  ///< of the faces of the first results; empty = none
    /// Made of the results later. Those of an earlier run are removed when the results are, as they would look like new ones.
    std::vector<std::filesystem::path> reports{};
};

/// What a job does with the files of an earlier one.
enum class EarlierWork {
    replace_complete,  ///< complete results are replaced; those of an interrupted job are not, that is an error
    resume,            ///< the job goes on where an interrupted one of the same work ended
    overwrite,         ///< they are replaced
};

/// The images of a job.
struct JobImages {
    std::optional<Dataset> dataset{};  ///< annotated sets; nothing for plain images
    ImageList images;                  ///< those that this job goes through: of a shard its own
    std::optional<Shard> shard{};
    /// What an earlier job of the same files left behind, if it is to be gone on with; without its images.
    std::optional<RecoveredJob> earlier{};

    const Dataset* annotated() const { return dataset ? &*dataset : nullptr; }
    static JobImages of(Dataset dataset);
};

/// Reads the images of a configuration and logs what is wrong with them. A list that an interrupted job has in its journal is
/// taken from there, so that what came or went meanwhile changes nothing.
/// \throws UsageError if none are configured, or if files of an interrupted job would be lost; what read_dataset and
/// read_image_list throw.
JobImages read_job_images(const DatasetConfig& config, const DetectionFiles& files,
                          EarlierWork earlier = EarlierWork::overwrite,
                          const std::optional<Shard>& shard = {});

/// All that a detection job is made of; what it points to must outlive it.
struct DetectionJob {
    std::string command;  ///< the subcommand, for the manifest
    const RunConfig& config;
    const JobImages& images;
    const std::vector<LoadedDetector>& detectors;
    const DetectionDevice& device;
    DetectionFiles files;
    const LoadedLandmarker* landmarker =
        nullptr;  ///< finds landmarks in the boxes that the configuration names
    std::optional<RecogniserConfig> recogniser{};  ///< describes the faces, if files.features is wanted
};

struct DetectionJobOutcome {
    DetectImagesOutcome images;  ///< an earlier run's images, detections and unreadable images included
    std::size_t resumed = 0;     ///< of the images, by an earlier run
    std::vector<ManifestDetector> detectors;
    std::optional<ManifestLandmarks> landmarks;
    Json manifest;  ///< as written; null without a manifest file
};

/// Detects in all images of a job with all of its detectors and writes results and manifest,
/// also if it was cancelled on the way. Folders are made where they are missing. Where results are a file, a journal
/// beside it says how far the job has come, until it is complete: see Journal.
/// \throws UsageError if annotated boxes are wanted of a dataset without, crops or features without landmarks
/// of the eyes, or if an earlier job that is to be resumed did other work; what choose_decoder, detect_images and
/// make_manifest throw; DeviceError if a device
/// failed on the way, after results and manifest are complete as far as the job came: it says how many images
/// that is and where they are.
DetectionJobOutcome run_detection_job(const DetectionJob& job, const RunHooks& hooks);

}  // namespace fovea
