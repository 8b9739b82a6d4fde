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

/// Flags as given; what was not given leaves the configuration as it is (defaults < JSON < flags).
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

// Each adds its flags to a subcommand; `flags` must outlive it.
std::shared_ptr<OutputFlags> add_output_flags(CLI::App& app);
/// \param what is replaced, for the help: "a file", "a report of other work".
void add_overwrite_flag(CLI::App& app, bool& overwrite, const std::string& what);
void add_config_flags(CLI::App& app, ConfigFlags& flags);
void add_device_flag(CLI::App& app, std::optional<std::string>& device);
void add_threads_flag(CLI::App& app, std::optional<int>& threads);
/// \param left_out  fields without a flag, where the command has another flag of that name.
void add_dataset_flags(CLI::App& app, DatasetFlags& flags, const std::vector<std::string>& left_out = {});
void add_detector_flags(CLI::App& app, DetectorFlags& flags, bool with_score_and_raw);
/// \param both_boxes --boxes takes several.
void add_landmarking_flags(CLI::App& app, LandmarkingFlags& flags, bool both_boxes);
void add_single_detector_flags(CLI::App& app, SingleDetectorFlags& flags);
void add_evaluation_flags(CLI::App& app, EvaluationFlags& flags);
void add_report_flags(CLI::App& app, ReportFlags& flags);

/// The JSON file's configuration, or the defaults without one, with the flags on top.
RunConfig start_config(const ConfigFlags& flags);
void apply(const DatasetFlags& flags, DatasetConfig& config);
/// Models replace the configured detectors; the other flags hold for all of them.
void apply(const DetectorFlags& flags, RunConfig& config);
/// Drops the configured detectors if no detector's boxes are wanted. Call it after the flags of detectors
/// were applied. \throws UsageError for flags without a landmark model, and for detectors named that would
/// not run.
void apply(const LandmarkingFlags& flags, const DetectorFlags& detector, RunConfig& config);
/// \throws UsageError as refuse_idle_iou_threshold() if the protocol is not that of the dataset.
void apply(const EvaluationFlags& flags, EvaluationConfig& config);
void apply(const ReportFlags& flags, ReportConfig& config);
/// \throws UsageError if --iou-threshold was given and the protocol has thresholds of its own.
void refuse_idle_iou_threshold(const EvaluationFlags& flags, DetectionProtocol protocol);
/// A configuration of one detector, the default where none is named, and nothing else yet. \throws UsageError
/// if there are several.
RunConfig single_detector_config(const std::string& command, const SingleDetectorFlags& flags);
/// Last step: environment variables of the configuration file, and ranges. Values from flags stay as
/// they are.
void finish_config(RunConfig& config);

/// Checks before the work of a report that nothing of another report is lost in its folder, and that the
/// folder can be written. \param configuration of the report, as report.json has it. \throws UsageError
void check_report_folder(const std::filesystem::path& folder, const Json& configuration, bool overwrite);

/// Names the images of a job: one argument is a dataset specification, several are image files.
void set_images(const std::vector<std::string>& arguments, DatasetConfig& config);

/// "800M", "2G" (powers of 1024), or a plain number of bytes, as MiB. \throws UsageError naming the flag.
double parse_megabytes(const std::string& text, const std::string& flag);

/// A configuration as --print-config shows it, with a closing newline.
std::string printed_config(const RunConfig& config);

}  // namespace fovea
