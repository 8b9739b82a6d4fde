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
    std::string root;                ///< the folder of a list's images; empty = the list's own folder
    /// Those that a list file names. It is no part of what a job is, so no configuration has it.
    bool may_run_commands = false;
    // The members of FrameSelection, for videos.
    std::size_t every = 1;
    double fps = 0;
    std::optional<double> from, to;  ///< seconds
};

/// The decoder of JPEG files. Grey values of decoders differ by their last digits, so the decoder belongs to
/// the results.
enum class DecoderChoice {
    cpu,     ///< TurboJPEG: the same values everywhere
    nvjpeg,  ///< nvJPEG on the GPUs for all files that it takes; the CPU for others
    /// nvjpeg for plain images if detection runs on GPUs with JPEG engines; else, and for annotated sets,
    /// whose numbers then do not depend on the machine, cpu.
    automatic
};

/// The decoder of videos. All give the same bytes.
enum class VideoDecoderChoice {
    cpu,
    nvdec,     ///< the GPUs' decoders for all videos that they take; the CPU for others
    automatic  ///< nvdec if detection runs on GPUs whose driver has it; else cpu
};

struct ImageConfig {
    double max_megapixels = 400;  ///< larger images are recorded as unreadable
    bool apply_exif_orientation = true;
    double prefetch_megabytes = 256;  ///< memory for images that wait for the detector
    DecoderChoice decoder = DecoderChoice::automatic;
    bool allow_mixed_decoders = false;  ///< with DecoderChoice::automatic: both decode as they are free
    VideoDecoderChoice video_decoder = VideoDecoderChoice::automatic;
    /// JPEG is decoded at a half, a quarter or an eighth of its size if the smallest window allows it.
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
    std::string model = default_model;  ///< a file, or a name for find_model()
    DetectorOptions options;
    /// Convert the detector's boxes to the results' convention. Landmarks and crops use the detector's boxes.
    BoxOffsets box_offsets{};
};

struct EvaluationConfig {
    bool enabled = true;              ///< evaluate if the dataset has ground truth
    bool protocol_of_dataset = true;  ///< "auto": see options_for(); else options.protocol
    DetectionEvaluationOptions options;
};

struct ReportConfig {
    std::string title;    ///< empty = made from the dataset
    int thumbnails = 24;  ///< number of worst misses, and of worst false alarms, that are drawn
    /// The number of whole images, the first ones, that the page's browser shows; 0 = it has none.
    int pictures = 0;
    /// The limit for the files of these images together; further images have no picture.
    double picture_megabytes = 256;
    /// The way report.tex shows intervals: "brackets" or "plus-minus"; empty = no report.tex.
    std::string latex;
};

/// The least memory limit: reading ahead and decoding need it, whatever the images.
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
    double memory_limit_megabytes = 2048;  ///< about the host memory that a job over images may take
    std::string output;                    ///< folder for results, manifest and report
    std::filesystem::path file{};          ///< the file that it was read from; empty without one
};

FrameSelection frame_selection(const DatasetConfig& config);

// The fields of each struct, with their ranges and flags: see FieldVisitor.
void describe(FieldVisitor& visitor, DatasetConfig& config);
/// Without `files`, and with the flag --dataset for the path.
void describe(FieldVisitor& visitor, DatasetConfig& config, const std::string& help_of_path);
void describe(FieldVisitor& visitor, ImageConfig& config);
void describe(FieldVisitor& visitor, DetectorOptions& options);
void describe(FieldVisitor& visitor, BoxOffsets& offsets);
void describe(FieldVisitor& visitor, DetectorConfig& config);
void describe(FieldVisitor& visitor, EvaluationConfig& config);
void describe(FieldVisitor& visitor, ReportConfig& config);
void describe(FieldVisitor& visitor, RunConfig& config);

/// \throws UsageError on an unknown key, a wrong type or a value out of range; names the key's full path.
RunConfig run_config_from_json(const Json& json);
/// Writes a configuration whose environment variables were expanded: paths are escaped, so that reading and
/// expanding give them back.
Json run_config_to_json(const RunConfig& config);

/// The JSON of a configuration file; "-" is standard input.
/// \throws UsageError with file and line for broken JSON and for a key given twice.
Json read_configuration(const std::filesystem::path& file);
/// The name of a configuration file in messages.
std::string configuration_name(const std::filesystem::path& file);

/// Reads a JSON configuration file; "-" is standard input.
/// \throws UsageError as run_config_from_json() and read_configuration().
RunConfig load_run_config(const std::filesystem::path& file);

/// Checks the ranges of all values, from files and flags. \throws UsageError naming the key's full path.
void validate_run_config(const RunConfig& config);

/// Replaces environment variables in every path (dataset, root, models, output). It is the last step of
/// making a configuration, so that a flag can replace a value whose variable is not set.
/// \throws UsageError naming the key and the variable that is not set.
void expand_environment(RunConfig& config);

/// True if the run finds detections or landmarks in images; false if it only recognises faces.
bool processes_images(const RunConfig& config);

/// True if detectors run; false if landmarks are found only in the truth's boxes.
bool runs_detectors(const RunConfig& config);

/// The detector's name in legends and file names: DetectorConfig::name, else the model's file name
/// without extension.
std::string detector_name(const DetectorConfig& detector);

/// "auto", "neighbors", "stage_sum" or "confidence".
std::string to_string(ScoreKind score);

/// The name that lets the dataset choose the protocol: see options_for().
inline const std::string auto_protocol = "auto";

/// Sets the protocol by its name, or "auto". \throws UsageError listing the names.
void set_protocol(const std::string& name, EvaluationConfig& evaluation);

/// The options for a dataset. For "auto", sets that come with an evaluation program get its protocol (fddb,
/// wider, voc2010 for voc, coco), all others iou.
DetectionEvaluationOptions options_for(const EvaluationConfig& evaluation, const Dataset& dataset);

/// The mode of this mode_name(). \throws UsageError listing the names.
ProtocolMode mode_from_string(const std::string& name);

/// Replaces ${NAME} and ${NAME:-default} by environment variables, and $$ by one $.
/// \throws UsageError if a variable without default is not set.
std::string expand_environment(const std::string& text);

/// The text that expand_environment() turns into `literal`. Paths that come from elsewhere than a
/// configuration file are put into a RunConfig in this form.
std::string escape_environment(const std::string& literal);

}  // namespace fovea
