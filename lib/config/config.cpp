#include "lib/config/config.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include <spdlog/fmt/fmt.h>
#include <spdlog/fmt/ranges.h>

#include "lib/config/device_choice.hpp"
#include "lib/core/error.hpp"
#include "lib/core/nearest_name.hpp"
#include "lib/evaluate/detection/detection_json.hpp"
#include "lib/json/json_fields.hpp"

namespace fovea {
namespace {

// In the order of ScoreKind.
constexpr std::array<const char*, 4> score_names{"auto", "neighbors", "stage_sum", "confidence"};

// In the order of DecoderChoice.
constexpr std::array<const char*, 3> decoder_names{"cpu", "nvjpeg", "auto"};

template <class T>
Json optional_to_json(const std::optional<T>& value) {
    return value ? Json(*value) : Json(nullptr);
}

Json size_to_json(Size size) {
    return Json::array({size.width, size.height});
}

void read_size(JsonFields& fields, const std::string& key, Size& target) {
    const Json* member = fields.find(key);
    if (member == nullptr) return;
    const std::string path = fields.path_of(key);
    if (!member->is_array() || member->size() != 2) {
        throw UsageError(
            "'" + path + "' must be a list [width, height], but is " +
            (member->is_array() ? "a list of " + std::to_string(member->size()) : describe_json(*member)));
    }
    target = {json_to_int((*member)[0], path + "[0]"), json_to_int((*member)[1], path + "[1]")};
}

DatasetConfig dataset_from_json(const Json& json, const std::string& path) {
    DatasetConfig dataset;
    JsonFields fields(json, path);
    fields.read("path", dataset.path);
    fields.read("files", dataset.files);
    fields.read("pattern", dataset.pattern);
    fields.read("limit", dataset.limit);
    fields.read("root", dataset.root);
    fields.finish();
    return dataset;
}

ImageConfig image_from_json(const Json& json, const std::string& path) {
    ImageConfig image;
    JsonFields fields(json, path);
    fields.read("max_megapixels", image.max_megapixels);
    fields.read("apply_exif_orientation", image.apply_exif_orientation);
    fields.read("prefetch_megabytes", image.prefetch_megabytes);
    std::string decoder = to_string(image.decoder);
    fields.read("decoder", decoder);
    fields.read("allow_mixed_decoders", image.allow_mixed_decoders);
    fields.read("scaled_decoding", image.scaled_decoding);
    fields.finish();
    try {
        image.decoder = decoder_from_string(decoder);
    } catch (const UsageError& error) {
        throw UsageError("'" + fields.path_of("decoder") + "': " + error.what());
    }
    return image;
}

DetectorConfig detector_from_json(const Json& json, const std::string& path) {
    DetectorConfig detector;
    JsonFields fields(json, path);
    fields.read("name", detector.name);
    fields.read("model", detector.model);
    fields.read("scale_factor", detector.options.scale_factor);
    fields.read("min_neighbors", detector.options.min_neighbors);
    read_size(fields, "min_size", detector.options.min_size);
    read_size(fields, "max_size", detector.options.max_size);
    std::string score = to_string(detector.options.score);
    fields.read("score", score);
    fields.read("raw", detector.options.raw);
    fields.read("start_scale", detector.options.start_scale);
    fields.read("step", detector.options.step);
    fields.read("min_score", detector.options.min_score);
    fields.finish();
    try {
        detector.options.score = score_kind_from_string(score);
    } catch (const UsageError& error) {
        throw UsageError("'" + fields.path_of("score") + "': " + error.what());
    }
    return detector;
}

EvaluationConfig evaluation_from_json(const Json& json, const std::string& path) {
    EvaluationConfig evaluation;
    JsonFields fields(json, path);
    fields.read("enabled", evaluation.enabled);
    std::string protocol = auto_protocol;
    fields.read("protocol", protocol);
    std::string mode = mode_name(evaluation.options.mode);
    fields.read("mode", mode);
    fields.read("iou_threshold", evaluation.options.iou_threshold);
    if (const Json* points = fields.find("false_positive_points")) {
        const std::string points_path = fields.path_of("false_positive_points");
        if (!points->is_array()) {
            throw UsageError("'" + points_path + "' must be a list of integers, but is " +
                             describe_json(*points));
        }
        evaluation.options.false_positive_points.clear();
        for (std::size_t i = 0; i < points->size(); ++i) {
            evaluation.options.false_positive_points.push_back(
                json_to_int((*points)[i], points_path + "[" + std::to_string(i) + "]"));
        }
    }
    fields.read("oks_sigmas", evaluation.options.oks_sigmas);
    fields.read("bootstrap_resamples", evaluation.options.bootstrap_resamples);
    std::size_t seed = evaluation.options.bootstrap_seed;
    fields.read("bootstrap_seed", seed);
    evaluation.options.bootstrap_seed = seed;
    fields.finish();
    try {
        set_protocol(protocol, evaluation);
    } catch (const UsageError& error) {
        throw UsageError("'" + fields.path_of("protocol") + "': " + error.what());
    }
    try {
        evaluation.options.mode = mode_from_string(mode);
    } catch (const UsageError& error) {
        throw UsageError("'" + fields.path_of("mode") + "': " + error.what());
    }
    return evaluation;
}

ReportConfig report_from_json(const Json& json, const std::string& path) {
    ReportConfig report;
    JsonFields fields(json, path);
    fields.read("title", report.title);
    fields.read("thumbnails", report.thumbnails);
    fields.finish();
    return report;
}

void validate_detector(const DetectorConfig& detector, const std::string& path) {
    const DetectorOptions& options = detector.options;
    if (const auto problem = find_option_problem(options)) {
        require_field(false, path + "." + problem->option, problem->expected);
    }
    // Between contrary limits a scan finds nothing, which nobody asks for. As in OpenCV, a maximum with a
    // zero in it means the image.
    const bool has_maximum = options.max_size.width > 0 && options.max_size.height > 0;
    require_field(!has_maximum || (options.max_size.width >= options.min_size.width &&
                                   options.max_size.height >= options.min_size.height),
                  path + ".max_size", "no smaller than min_size");
    const std::string name = detector_name(detector);
    require_field(name.find('/') == std::string::npos && name != "." && name != ".." &&
                      std::none_of(name.begin(), name.end(),
                                   [](char c) { return static_cast<unsigned char>(c) < 0x20; }),
                  path + ".name", "fit for a file name: no '/' and no control characters");
}

}  // namespace

std::string to_string(ScoreKind score) {
    return score_names[static_cast<std::size_t>(score)];
}

ScoreKind score_kind_from_string(const std::string& name) {
    for (std::size_t i = 0; i < score_names.size(); ++i) {
        if (name == score_names[i]) return static_cast<ScoreKind>(i);
    }
    throw UsageError("there is no score '" + name + "': use auto, neighbors, stage_sum or confidence");
}

std::string to_string(DecoderChoice decoder) {
    return decoder_names[static_cast<std::size_t>(decoder)];
}

DecoderChoice decoder_from_string(const std::string& name) {
    for (std::size_t i = 0; i < decoder_names.size(); ++i) {
        if (name == decoder_names[i]) return static_cast<DecoderChoice>(i);
    }
    throw UsageError("there is no decoder '" + name + "': use cpu, nvjpeg or auto");
}

void set_protocol(const std::string& name, EvaluationConfig& evaluation) {
    evaluation.protocol_of_dataset = name == auto_protocol;
    if (evaluation.protocol_of_dataset) return;
    std::vector<std::string> names{auto_protocol};
    for (const DetectionProtocol protocol : all_protocols) {
        names.push_back(protocol_name(protocol));
        if (name != names.back()) continue;
        evaluation.options.protocol = protocol;
        return;
    }
    throw UsageError(fmt::format("there is no protocol '{}'{}; protocols: {}", name,
                                 did_you_mean(name, names), fmt::join(names, ", ")));
}

DetectionEvaluationOptions options_for(const EvaluationConfig& evaluation, const Dataset& dataset) {
    DetectionEvaluationOptions options = evaluation.options;
    if (!evaluation.protocol_of_dataset) return options;
    options.protocol = DetectionProtocol::iou;
    if (dataset.format == "fddb") options.protocol = DetectionProtocol::fddb;
    if (dataset.format == "wider") options.protocol = DetectionProtocol::wider;
    if (dataset.format == "voc") options.protocol = DetectionProtocol::voc2010;
    if (dataset.format == "coco") options.protocol = DetectionProtocol::coco;
    if (dataset.format == "face-eval") options.protocol = DetectionProtocol::face_eval;
    return options;
}

ProtocolMode mode_from_string(const std::string& name) {
    for (const ProtocolMode mode : all_modes) {
        if (name == mode_name(mode)) return mode;
    }
    throw UsageError("there is no mode '" + name + "': use strict, corrected or, for WIDER FACE, port");
}

std::string detector_name(const DetectorConfig& detector) {
    return detector.name.empty() ? std::filesystem::path(detector.model).stem().string() : detector.name;
}

bool processes_images(const RunConfig& config) {
    return !config.recognition.wanted() || !config.dataset.path.empty() || !config.dataset.files.empty();
}

bool runs_detectors(const RunConfig& config) {
    return !config.landmarks.wanted() || config.landmarks.uses(BoxSource::detector);
}

RunConfig run_config_from_json(const Json& json) {
    RunConfig config;
    JsonFields fields(json, "");
    if (const Json* dataset = fields.find("dataset")) config.dataset = dataset_from_json(*dataset, "dataset");
    if (const Json* image = fields.find("image")) config.image = image_from_json(*image, "image");
    if (const Json* detectors = fields.find("detectors")) {
        if (!detectors->is_array()) {
            throw UsageError("'detectors' must be a list of objects, but is " + describe_json(*detectors));
        }
        for (std::size_t i = 0; i < detectors->size(); ++i) {
            config.detectors.push_back(
                detector_from_json((*detectors)[i], "detectors[" + std::to_string(i) + "]"));
        }
    }
    if (const Json* landmarks = fields.find("landmarks")) {
        config.landmarks = landmark_config_from_json(*landmarks, "landmarks");
    }
    if (const Json* recognition = fields.find("recognition")) {
        config.recognition = recognition_config_from_json(*recognition, "recognition");
    }
    if (const Json* evaluation = fields.find("evaluation")) {
        config.evaluation = evaluation_from_json(*evaluation, "evaluation");
    }
    if (const Json* report = fields.find("report")) config.report = report_from_json(*report, "report");
    fields.read("device", config.device);
    fields.read("threads", config.threads);
    fields.read("memory_limit_megabytes", config.memory_limit_megabytes);
    fields.read("output", config.output);
    fields.finish();
    validate_run_config(config);
    return config;
}

Json detector_options_to_json(const DetectorOptions& options) {
    Json json;
    json["scale_factor"] = optional_to_json(options.scale_factor);
    json["min_neighbors"] = optional_to_json(options.min_neighbors);
    json["min_size"] = size_to_json(options.min_size);
    json["max_size"] = size_to_json(options.max_size);
    json["score"] = to_string(options.score);
    json["raw"] = options.raw;
    json["start_scale"] = options.start_scale;
    json["step"] = options.step;
    json["min_score"] = optional_to_json(options.min_score);
    return json;
}

DecodeOptions decode_options(const ImageConfig& config) {
    DecodeOptions options;
    options.max_pixels = static_cast<std::int64_t>(config.max_megapixels * 1e6);
    options.apply_exif_orientation = config.apply_exif_orientation;
    return options;
}

Json run_config_to_json(const RunConfig& config) {
    Json json;
    std::vector<std::string> files;
    for (const std::string& file : config.dataset.files) files.push_back(escape_environment(file));
    json["dataset"] = {{"path", escape_environment(config.dataset.path)},
                       {"files", files},
                       {"pattern", config.dataset.pattern},
                       {"limit", config.dataset.limit},
                       {"root", escape_environment(config.dataset.root)}};
    json["image"] = {{"max_megapixels", config.image.max_megapixels},
                     {"apply_exif_orientation", config.image.apply_exif_orientation},
                     {"prefetch_megabytes", config.image.prefetch_megabytes},
                     {"decoder", to_string(config.image.decoder)},
                     {"allow_mixed_decoders", config.image.allow_mixed_decoders},
                     {"scaled_decoding", config.image.scaled_decoding}};
    json["detectors"] = Json::array();
    for (const DetectorConfig& detector : config.detectors) {
        Json entry;
        entry["name"] = detector.name;
        entry["model"] = escape_environment(detector.model);
        entry.update(detector_options_to_json(detector.options));
        json["detectors"].push_back(std::move(entry));
    }
    json["landmarks"] = landmark_config_to_json(config.landmarks);
    json["recognition"] = recognition_config_to_json(config.recognition, escape_environment);
    json["evaluation"] = {{"enabled", config.evaluation.enabled},
                          {"protocol", config.evaluation.protocol_of_dataset
                                           ? auto_protocol
                                           : protocol_name(config.evaluation.options.protocol)},
                          {"mode", mode_name(config.evaluation.options.mode)},
                          {"iou_threshold", config.evaluation.options.iou_threshold},
                          {"oks_sigmas", config.evaluation.options.oks_sigmas},
                          {"false_positive_points", config.evaluation.options.false_positive_points},
                          {"bootstrap_resamples", config.evaluation.options.bootstrap_resamples},
                          {"bootstrap_seed", config.evaluation.options.bootstrap_seed}};
    json["report"] = {{"title", config.report.title}, {"thumbnails", config.report.thumbnails}};
    json["device"] = config.device;
    json["threads"] = config.threads;
    json["memory_limit_megabytes"] = config.memory_limit_megabytes;
    json["output"] = escape_environment(config.output);
    return json;
}

void validate_run_config(const RunConfig& config) {
    require_field(config.dataset.path.empty() || config.dataset.files.empty(), "dataset.files",
                  "left out where 'dataset.path' is given");
    require_field(config.image.max_megapixels > 0 && config.image.max_megapixels <= 1e6,
                  "image.max_megapixels", "above 0 and at most 1000000");
    require_field(config.image.prefetch_megabytes > 0 && config.image.prefetch_megabytes <= 1e6,
                  "image.prefetch_megabytes", "above 0 and at most 1000000");
    require_field(!config.image.allow_mixed_decoders || config.image.decoder == DecoderChoice::automatic,
                  "image.allow_mixed_decoders", "false unless 'image.decoder' is auto");
    require_field(
        config.memory_limit_megabytes >= min_memory_limit_megabytes && config.memory_limit_megabytes <= 1e9,
        "memory_limit_megabytes",
        "between " + std::to_string(min_memory_limit_megabytes) + " and 1000000000");
    validate_landmark_config(config.landmarks, "landmarks");
    validate_recognition_config(config.recognition, "recognition");
    std::set<std::string> names;
    const std::string truth = to_string(BoxSource::truth);
    if (config.landmarks.uses(BoxSource::truth)) names.insert(truth);
    for (std::size_t i = 0; i < config.detectors.size(); ++i) {
        const std::string path = "detectors[" + std::to_string(i) + "]";
        validate_detector(config.detectors[i], path);
        const std::string name = detector_name(config.detectors[i]);
        if (!names.insert(name).second) {
            throw UsageError("'" + path + "': " +
                             (name == truth ? "a second detector, or the annotated boxes, have the name '"
                                            : "a second detector has the name '") +
                             name +
                             "'; give each a name of its own, as it becomes the name of its results file");
        }
    }
    const double iou_threshold = config.evaluation.options.iou_threshold;
    require_field(iou_threshold > 0 && iou_threshold <= 1, "evaluation.iou_threshold",
                  "above 0 and at most 1");
    for (std::size_t i = 0; i < config.evaluation.options.oks_sigmas.size(); ++i) {
        require_field(
            config.evaluation.options.oks_sigmas[i] > 0 && config.evaluation.options.oks_sigmas[i] <= 10,
            "evaluation.oks_sigmas[" + std::to_string(i) + "]", "above 0 and at most 10");
    }
    for (std::size_t i = 0; i < config.evaluation.options.false_positive_points.size(); ++i) {
        require_field(config.evaluation.options.false_positive_points[i] >= 0,
                      "evaluation.false_positive_points[" + std::to_string(i) + "]", "at least 0");
    }
    require_field(config.evaluation.options.bootstrap_resamples >= 0 &&
                      config.evaluation.options.bootstrap_resamples <= 1000000,
                  "evaluation.bootstrap_resamples", "between 0 (no intervals) and 1000000");
    require_field(config.report.thumbnails >= 0 && config.report.thumbnails <= 1000, "report.thumbnails",
                  "between 0 and 1000");
    require_field(config.threads >= 0 && config.threads <= 1024, "threads", "between 0 (all cores) and 1024");
    try {
        parse_device(config.device);
    } catch (const UsageError& error) {
        throw UsageError(std::string("'device': ") + error.what());
    }
}

void expand_environment(RunConfig& config) {
    const auto expand = [](std::string& value, const std::string& path) {
        try {
            value = expand_environment(value);
        } catch (const UsageError& error) {
            throw UsageError("'" + path + "': " + error.what());
        }
    };
    expand(config.dataset.path, "dataset.path");
    expand(config.dataset.root, "dataset.root");
    for (std::size_t i = 0; i < config.dataset.files.size(); ++i) {
        expand(config.dataset.files[i], "dataset.files[" + std::to_string(i) + "]");
    }
    for (std::size_t i = 0; i < config.detectors.size(); ++i) {
        expand(config.detectors[i].model, "detectors[" + std::to_string(i) + "].model");
    }
    expand(config.landmarks.model, "landmarks.model");
    change_paths(config.recognition, "recognition", expand);
    expand(config.output, "output");
}

}  // namespace fovea
