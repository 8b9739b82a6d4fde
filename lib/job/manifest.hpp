#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "lib/config/config.hpp"
#include "lib/device/energy.hpp"
#include "lib/inputs/image_list.hpp"
#include "lib/inputs/shard.hpp"
#include "lib/job/landmark_stage.hpp"
#include "lib/job/manifest_file.hpp"
#include "lib/job/manifest_parts.hpp"
#include "lib/job/stages/detect_images.hpp"
#include "lib/json/json_fwd.hpp"
#include "lib/landmark/crop_options.hpp"

namespace fovea {

struct ChosenDecoder;
struct DetectionJob;
struct DetectionJobResult;

/// {"kind", "format"}, and for boxes "size" and "margin".
Json crop_options_to_json(const CropOptions& options);

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

/// The parts of a manifest about a job that ran.
struct ManifestFacts {
    const DetectionJob& job;
    const DetectionJobResult& outcome;
    const Json& work;  ///< result_fingerprint()
    const ChosenDecoder& decoder;
    RunConfig config{};                     ///< with the detectors' options as they were resolved
    std::string device = "cpu";             ///< where most of the work was done
    int threads = 1;                        ///< of the CPU
    std::size_t done_here = 0;              ///< images of this run alone, where it resumed another
    std::optional<EnergyReading> energy{};  ///< of this run
    std::size_t feature_rows = 0;
    WhyNotOnGpu why_not_on_gpu{};  ///< which videos the GPUs decode
};

/// The manifest of a run: all that is needed to repeat it and to tell whether two runs did the same work.
///
/// "complete" says that no image is missing. "work" is all that decides the results, with its SHA-256.
/// "shard" is the part of the work, with the places of its images in the whole list ("positions": the first,
/// then the distances between neighbours). "detectors" holds the detectors, "landmarks" the landmark model
/// with the rule for each kind of boxes, and "truth_boxes" the results of the annotated boxes, if there are
/// some. "unreadable" and "skipped" name every image and input that has no result, with the reason.
///
/// The manifest also holds the effective configuration, SHA-256 of models, lists and results, versions,
/// decoder, device and counts. "timings" and "energy" hold what differs from run to run without meaning, each
/// detector's "engine" what differs from device to device. "error" is there only if a device failed. Paths of
/// results are relative to the manifest's folder. \throws Error if a model or list cannot be read any more.
Json make_manifest(const ManifestFacts& facts);

}  // namespace fovea
