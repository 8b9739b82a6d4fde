#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "lib/core/json.hpp"
#include "lib/pipeline/config.hpp"
#include "lib/pipeline/detect_images.hpp"
#include "lib/pipeline/landmark_stage.hpp"

namespace fovea {

/// This program's version, e.g. "0.1.0".
std::string fovea_version();

/// Versions of the program and of the libraries that results depend on.
Json versions_to_json();

/// A detector of a run, as the manifest names it.
struct ManifestDetector {
    DetectorConfig config;
    std::filesystem::path model;  ///< the file that was loaded
    std::string description;
    Size window;
    std::filesystem::path results;  ///< "-" for standard output
    std::string device = "cpu";     ///< where it computed
    EngineCounters counters;        ///< what it did there
};

/// The landmarker of a run, as the manifest names it.
struct ManifestLandmarks {
    std::filesystem::path model;
    std::string description;
    std::string device = "cpu";
    std::vector<BoxRule> boxes;                          ///< of the detectors, then of the truth
    std::optional<std::filesystem::path> truth_results;  ///< of the annotated boxes; "-" for standard output
};

/// The manifest of a run: all that is needed to repeat it and to tell whether two runs did the same work.
///
/// "detectors" holds the detectors, "landmarks" the landmark model with what is done to every kind of boxes, and
/// "truth_boxes" the results of the annotated boxes, the last of the tasks, where there are some.
///
/// Effective configuration, SHA-256 of models, lists and results, versions, decoder, device, counts; what
/// differs from run to run without meaning stands apart under "timings", what differs from device to device
/// under each detector's "engine". "error" is there only if a device failed on the way. Paths of results are relative to
/// `folder`. \throws Error if a model or list cannot be read any more.
Json make_manifest(const std::string& command, const RunConfig& config, const Dataset& dataset,
                   const std::vector<ManifestDetector>& detectors,
                   const std::optional<ManifestLandmarks>& landmarks, const DetectImagesOutcome& outcome,
                   const std::string& device, int threads, const std::filesystem::path& folder);

/// What every manifest begins with: command, configuration, versions, decoder and device.
Json manifest_head(const std::string& command, const RunConfig& config, const std::string& device,
                   bool interrupted);

/// What was read: name, format, number of images and annotated faces, and the lists with their SHA-256.
Json dataset_to_json(const Dataset& dataset);

/// Writes a JSON file in full or not at all (through a temporary file beside it), with a closing newline.
/// Links are followed; a device, a pipe and anything in /dev or /proc is written to and never replaced.
/// \throws Error if it cannot be written.
void write_json_file(const std::filesystem::path& file, const Json& json);

/// Where the manifest of a results file is: run.json beside results.jsonl, NAME.run.json beside NAME.jsonl;
/// empty for standard output and for anything in /dev or /proc.
std::filesystem::path manifest_path(const std::filesystem::path& results);

}  // namespace fovea
