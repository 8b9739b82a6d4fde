#pragma once

#include "lib/core/json.hpp"
#include "lib/detect/detector.hpp"
#include "lib/evaluate/detection.hpp"

#include <string>
#include <vector>

namespace fovea {

struct DatasetConfig {
    std::string path;       ///< "FORMAT:PATH", or a bare path whose format is recognised
    std::string pattern;    ///< glob; empty = all images
    std::size_t limit = 0;  ///< first N images; 0 = all
    std::string root;       ///< where the images of a list are; empty = beside the list
};

struct ImageConfig {
    double max_megapixels = 400;      ///< larger images are recorded as unreadable
    bool apply_exif_orientation = true;
    double prefetch_megabytes = 256;  ///< decoded images that may wait for the detector
};

struct DetectorConfig {
    std::string name;   ///< for legends and file names; empty = the model's file name without extension
    std::string model;  ///< a file, or a name that find_model knows
    DetectorOptions options;
};

struct EvaluationConfig {
    bool enabled = true;  ///< evaluate where the dataset has ground truth
    DetectionEvaluationOptions options;
};

struct ReportConfig {
    std::string title;    ///< empty = made from the dataset
    int thumbnails = 24;  ///< worst misses and false alarms drawn, each
};

/// The effective configuration of `fovea run`: defaults, then the JSON file, then flags.
/// configs/default.json holds every field with its default.
struct RunConfig {
    DatasetConfig dataset;
    ImageConfig image;
    std::vector<DetectorConfig> detectors;  ///< run and compared on the same images
    EvaluationConfig evaluation;
    ReportConfig report;
    std::string device = "auto";  ///< auto, cpu, cuda, cuda:N[,M...]
    int threads = 0;              ///< 0 = all cores
    std::string output;           ///< folder for results, manifest and report
};

/// \throws UsageError on an unknown key, a wrong type or a value out of range; names the key's full path.
RunConfig run_config_from_json(const Json& json);
Json run_config_to_json(const RunConfig& config);

/// Replaces ${NAME} and ${NAME:-default} by environment variables.
/// \throws UsageError if a variable without default is not set.
std::string expand_environment(const std::string& text);

}  // namespace fovea
