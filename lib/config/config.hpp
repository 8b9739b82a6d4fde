#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "lib/config/landmark_config.hpp"
#include "lib/config/recognition_config.hpp"
#include "lib/config/track_config.hpp"
#include "lib/core/box_offsets.hpp"
#include "lib/detect/detector_options.hpp"
#include "lib/evaluate/detection/detection.hpp"
#include "lib/files/find_model.hpp"
#include "lib/image/formats/decode.hpp"
#include "lib/json/json_fwd.hpp"
#include "lib/video/select_frames.hpp"

namespace fovea {

class FieldVisitor;

struct DatasetConfig {
    std::string path;                ///< "FORMAT:PATH", or a bare path whose format is recognised
    std::vector<std::string> files;  ///< instead of path: image files named one by one
    std::string pattern;             ///< glob; empty = all images
    std::size_t limit = 0;           ///< first N images; 0 = all
    std::string root;                ///< where the images of a list are; empty = beside the list
    // The frames of videos, as FrameSelection has them.
    std::size_t every = 1;
    double fps = 0;
    std::optional<double> from, to;  ///< seconds
};

/// Who decodes JPEG files. Grey values differ by their last digits between decoders, which therefore belong
/// to the results.
enum class DecoderChoice {
    cpu,     ///< TurboJPEG: the same values everywhere
    nvjpeg,  ///< nvJPEG on the GPUs, for all that it takes; the CPU for the rest
    /// nvjpeg for plain images where detection runs on GPUs with JPEG engines; cpu elsewhere, and for
    /// annotated sets, whose numbers then do not depend on the machine
    automatic
};

/// Who decodes videos. The frames are the same bytes everywhere.
enum class VideoDecoderChoice {
    cpu,
    nvdec,     ///< the GPUs' decoders, for all videos that they take; the CPU for the rest
    automatic  ///< nvdec where detection runs on GPUs and their driver has it; else cpu
};

struct ImageConfig {
    double max_megapixels = 400;  ///< larger images are recorded as unreadable
    bool apply_exif_orientation = true;
    double prefetch_megabytes = 256;  ///< read or decoded images that may wait for the detector
    DecoderChoice decoder = DecoderChoice::automatic;
    bool allow_mixed_decoders = false;  ///< with DecoderChoice::automatic: whoever is free decodes
    VideoDecoderChoice video_decoder = VideoDecoderChoice::automatic;
    /// JPEG is decoded at a half, a quarter or an eighth of its size where the smallest window allows it.
    bool scaled_decoding = false;
};

/// "cpu", "nvjpeg" or "auto".
std::string to_string(DecoderChoice decoder);

/// "cpu", "nvdec" or "auto".
std::string to_string(VideoDecoderChoice decoder);

/// The decoder's options, for detection and for the report's pictures alike.
DecodeOptions decode_options(const ImageConfig& config);

struct DetectorConfig {
    std::string name;  ///< for legends and file names; empty = the model's file name without extension
    std::string model = default_model;  ///< a file, or a name that find_model knows
    DetectorOptions options;
    /// From the detector's convention of boxes to that of the results. Landmarks and crops are found by the
    /// detector's boxes.
    BoxOffsets box_offsets{};
};

struct EvaluationConfig {
    bool enabled = true;              ///< evaluate where the dataset has ground truth
    bool protocol_of_dataset = true;  ///< "auto": see options_for(); else options.protocol
    DetectionEvaluationOptions options;
};

struct ReportConfig {
    std::string title;    ///< empty = made from the dataset
    int thumbnails = 24;  ///< worst misses and false alarms drawn, each
    /// Whole images that the page's browser shows, the first ones; 0 = it has none.
    int pictures = 0;
    /// Their files together, megabytes; further images have no picture.
    double picture_megabytes = 256;
    /// How report.tex shows intervals: "brackets" or "plus-minus"; empty = there is none.
    std::string latex;
};

/// The memory that reading ahead and decoding need, whatever the images.
constexpr int min_memory_limit_megabytes = 256;

/// The effective configuration of `fovea run`: defaults, then the JSON file, then flags.
/// configs/default.json holds every field with its default.
struct RunConfig {
    DatasetConfig dataset;
    ImageConfig image;
    std::vector<DetectorConfig> detectors;  ///< run and compared on the same images
    LandmarkConfig landmarks;
    RecognitionConfig recognition;
    TrackConfig tracking;  ///< of `fovea track`
    EvaluationConfig evaluation;
    ReportConfig report;
    std::string device = "auto";           ///< auto, cpu, cuda, cuda:N[,M...]
    int threads = 0;                       ///< 0 = all cores
    double memory_limit_megabytes = 2048;  ///< host memory that a job over images may take, about
    std::string output;                    ///< folder for results, manifest and report
    std::filesystem::path file{};          ///< that it was read from; empty without one
};

FrameSelection frame_selection(const DatasetConfig& config);

// The fields of each struct, with their ranges and flags: see FieldVisitor.
void describe(FieldVisitor& visitor, DatasetConfig& config);
void describe(FieldVisitor& visitor, ImageConfig& config);
void describe(FieldVisitor& visitor, DetectorOptions& options);
void describe(FieldVisitor& visitor, BoxOffsets& offsets);
void describe(FieldVisitor& visitor, DetectorConfig& config);
void describe(FieldVisitor& visitor, EvaluationConfig& config);
void describe(FieldVisitor& visitor, ReportConfig& config);
void describe(FieldVisitor& visitor, RunConfig& config);

/// \throws UsageError on an unknown key, a wrong type or a value out of range; names the key's full path.
RunConfig run_config_from_json(const Json& json);
/// The reverse, for a configuration as expand_environment leaves it: paths are escaped, so that reading and
/// expanding give them back.
Json run_config_to_json(const RunConfig& config);

/// The JSON of a configuration file; "-" is standard input.
/// \throws UsageError for broken JSON and for a key given twice; names file and line.
Json read_configuration(const std::filesystem::path& file);
/// Its name in messages.
std::string configuration_name(const std::filesystem::path& file);

/// Reads a JSON configuration file; "-" is standard input.
/// \throws UsageError as run_config_from_json and read_configuration.
RunConfig load_run_config(const std::filesystem::path& file);

/// Checks the ranges of all values, wherever they came from. \throws UsageError naming the key's full path.
void validate_run_config(const RunConfig& config);

/// Last step of making a configuration: replaces environment variables in every path (dataset, root, models,
/// output). Not sooner, so that a flag can stand in for a value whose variable is not set.
/// \throws UsageError naming the key and the variable that is not set.
void expand_environment(RunConfig& config);

/// True if images are gone through for detections or landmarks; false if faces are recognised and nothing
/// else.
bool processes_images(const RunConfig& config);

/// False if landmarks are found in boxes of the truth alone: no detector runs then.
bool runs_detectors(const RunConfig& config);

/// The detector's name in legends and file names: as configured, else the model's file name without
/// extension.
std::string detector_name(const DetectorConfig& detector);

/// "auto", "neighbors", "stage_sum" or "confidence".
std::string to_string(ScoreKind score);

/// The name of a protocol that follows from the dataset.
inline const std::string auto_protocol = "auto";

/// Takes over the protocol of that name, or "auto". \throws UsageError listing the names that there are.
void set_protocol(const std::string& name, EvaluationConfig& evaluation);

/// The options for a dataset: with "auto", sets that come with an evaluation program are evaluated by its
/// protocol (fddb, wider, voc2010 for voc, coco), all others by iou.
DetectionEvaluationOptions options_for(const EvaluationConfig& evaluation, const Dataset& dataset);

/// The reverse of mode_name. \throws UsageError listing the names that there are.
ProtocolMode mode_from_string(const std::string& name);

/// Replaces ${NAME} and ${NAME:-default} by environment variables, and $$ by one $.
/// \throws UsageError if a variable without default is not set.
std::string expand_environment(const std::string& text);

/// The text that expand_environment turns into `literal`: what comes from elsewhere than a configuration file
/// is put into a RunConfig in this form.
std::string escape_environment(const std::string& literal);

}  // namespace fovea
