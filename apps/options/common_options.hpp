#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/options/field_flags.hpp"
#include "apps/terminal/cli_fwd.hpp"
#include "apps/terminal/console.hpp"
#include "lib/config/config.hpp"
#include "lib/job/detection_job.hpp"

namespace fovea {

/// Flags as given; flags that are not given leave the configuration as it is (defaults < JSON < flags).
struct ConfigFlags {
    std::optional<std::string> config;
    bool print_config = false;
    std::optional<std::string> device;
    std::optional<int> threads;
    std::optional<std::string> out;
};

/// The flags of DatasetConfig.
struct DatasetFlags : FieldFlags {};

struct DetectorFlags {
    std::vector<std::string> models;
    FieldFlags options;  ///< of DetectorOptions

    bool any() const { return !models.empty() || options.any(); }
};

/// The flags of LandmarkConfig.
struct LandmarkingFlags : FieldFlags {};

/// The flags of subcommands that take one detector and no configuration file.
struct SingleDetectorFlags {
    std::optional<std::string> device;
    std::optional<int> threads;
    DetectorFlags detector;
};

/// The flags of EvaluationConfig.
struct EvaluationFlags : FieldFlags {};

/// The flags of ReportConfig.
struct ReportFlags : FieldFlags {};

// Each of these adds its flags to a subcommand; `flags` must outlive it.
std::shared_ptr<OutputFlags> add_output_flags(CLI::App& app);
/// \param what the flag lets the command replace, for the help: "a file", "a report of other work".
void add_overwrite_flag(CLI::App& app, bool& overwrite, const std::string& what);
void add_config_flags(CLI::App& app, ConfigFlags& flags);
void add_device_flag(CLI::App& app, std::optional<std::string>& device);
void add_threads_flag(CLI::App& app, std::optional<int>& threads);
/// \param left_out the fields that get no flag, as the command has another flag of that name.
void add_dataset_flags(CLI::App& app, DatasetFlags& flags, const std::vector<std::string>& left_out = {});
void add_detector_flags(CLI::App& app, DetectorFlags& flags, bool with_score_and_raw);
/// \param both_boxes --boxes takes several.
void add_landmarking_flags(CLI::App& app, LandmarkingFlags& flags, bool both_boxes);
void add_single_detector_flags(CLI::App& app, SingleDetectorFlags& flags);
void add_evaluation_flags(CLI::App& app, EvaluationFlags& flags);
void add_report_flags(CLI::App& app, ReportFlags& flags);

/// The JSON file's configuration, or the defaults without a file, with the flags on top.
RunConfig start_config(const ConfigFlags& flags);
void apply(const DatasetFlags& flags, DatasetConfig& config);
/// Models replace the configured detectors; other flags hold for all detectors.
void apply(const DetectorFlags& flags, RunConfig& config);
/// Drops the configured detectors if landmarks need no detector's boxes. Call it after DetectorFlags
/// were applied.
/// \throws UsageError for flags without a landmark model, and for named detectors that would not run.
void apply(const LandmarkingFlags& flags, const DetectorFlags& detector, RunConfig& config);
/// \throws UsageError as refuse_idle_iou_threshold(), unless the protocol is the dataset's.
void apply(const EvaluationFlags& flags, EvaluationConfig& config);
void apply(const ReportFlags& flags, ReportConfig& config);
/// \throws UsageError if --iou-threshold was given and the protocol has thresholds of its own.
void refuse_idle_iou_threshold(const EvaluationFlags& flags, DetectionProtocol protocol);
/// A configuration with one detector, the default one if none is named, and defaults otherwise.
/// \throws UsageError if several are named.
RunConfig single_detector_config(const std::string& command, const SingleDetectorFlags& flags);
/// Takes the last step of a configuration: expands the environment variables of its file, not of flags, and
/// checks ranges. \throws UsageError
void finish_config(RunConfig& config);
/// finish_config() for a command that works on the detections of one detector and writes a folder.
/// \param command "track". \param does what it does with detected faces, for messages: "follows".
/// \throws UsageError as finish_config(), and for several detectors, boxes of the truth, raw windows, or if
/// no folder is named.
void finish_config_of_folder(const std::string& command, const std::string& does, RunConfig& config);

/// Checks, before the work of a report, that it replaces no report of other work in its folder, and that the
/// folder can be written to. \param configuration the report's, as in report.json. \throws UsageError
void check_report_folder(const std::filesystem::path& folder, const Json& configuration, bool overwrite);

/// Names the images of a job: one argument is a dataset specification, several are image files.
void set_images(const std::vector<std::string>& arguments, DatasetConfig& config);

/// Reads "800M", "2G" (powers of 1024), or a plain number of bytes. \return MiB. \throws UsageError naming
/// the flag.
double parse_megabytes(const std::string& text, const std::string& flag);

/// A configuration as --print-config shows it, with a closing newline.
std::string printed_config(const RunConfig& config);

}  // namespace fovea
