#include "lib/config/config.hpp"

#include <set>

#include <spdlog/fmt/fmt.h>

#include "lib/config/device_choice.hpp"
#include "lib/core/error.hpp"
#include "lib/json/field_json.hpp"
#include "lib/json/json.hpp"

namespace fovea {
namespace {

constexpr const char* dataset_group = "Images";
constexpr const char* video_group = "Video";
constexpr const char* config_group = "Configuration";

// Which of a dataset's images are wanted.
void describe_choice(FieldVisitor& visitor, DatasetConfig& config) {
    visitor.value({.key = "pattern",
                   .flag = {.name = "--pattern",
                            .type = "GLOB",
                            .group = dataset_group,
                            .help = "Only images whose path or name matches, e.g. '*.jpg'"}},
                  &config.pattern);
    visitor.value({.key = "limit",
                   .range = at_least(0),
                   .flag = {.name = "--limit",
                            .type = "N",
                            .group = dataset_group,
                            .help = "Only the first N images; 0 = all",
                            .is_checked = true,
                            .max = std::numeric_limits<int>::max()}},
                  &config.limit);
    visitor.value(
        {.key = "root",
         .flag = {.name = "--root",
                  .type = "DIR",
                  .group = dataset_group,
                  .help = "Folder that the paths of a list are relative to (default: the list's own)"},
         .is_path = true},
        &config.root);
    visitor.value({.key = "every",
                   .range = at_least(1),
                   .flag = {.name = "--every",
                            .type = "N",
                            .group = video_group,
                            .help = "Every Nth frame",
                            .is_checked = true,
                            .max = std::numeric_limits<int>::max()}},
                  &config.every);
    visitor.value({.key = "fps",
                   .range = between(0, 1e6),
                   .flag = {.name = "--fps",
                            .type = "F",
                            .group = video_group,
                            .help = "At most F frames for each second of the video; 0 = all"}},
                  &config.fps);
    visitor.value({.key = "from",
                   .flag = {.name = "--from",
                            .type = "SECONDS",
                            .group = video_group,
                            .help = "Frames shown at this time or later, by the clock of the video"}},
                  &config.from);
    visitor.value({.key = "to",
                   .flag = {.name = "--to",
                            .type = "SECONDS",
                            .group = video_group,
                            .help = "Frames shown before this time"}},
                  &config.to);
}

// Each detector's name becomes that of its results file.
void check_detector_names(const RunConfig& config) {
    std::set<std::string> names;
    const std::string truth = to_string(BoxSource::truth);
    if (config.landmarks.uses(BoxSource::truth)) names.insert(truth);
    for (std::size_t i = 0; i < config.detectors.size(); ++i) {
        const std::string name = detector_name(config.detectors[i]);
        if (names.insert(name).second) continue;
        throw UsageError("'detectors[" + std::to_string(i) + "]': " +
                         (name == truth ? "a second detector, or the annotated boxes, have the name '"
                                        : "a second detector has the name '") +
                         name + "'; give each a name of its own, as it becomes the name of its results file");
    }
}

}  // namespace

FrameSelection frame_selection(const DatasetConfig& config) {
    return {config.every, config.fps, config.from, config.to};
}

void describe(FieldVisitor& visitor, DatasetConfig& config) {
    visitor.value({.key = "path", .is_path = true}, &config.path);
    visitor.value({.key = "files", .is_path = true}, &config.files);
    describe_choice(visitor, config);
    visitor.rule("files", config.path.empty() || config.files.empty(),
                 "left out where 'dataset.path' is given");
}

void describe(FieldVisitor& visitor, DatasetConfig& config, const std::string& help_of_path) {
    visitor.value(
        {.key = "path",
         .flag = {.name = "--dataset", .type = "DATASET", .group = dataset_group, .help = help_of_path},
         .is_path = true},
        &config.path);
    describe_choice(visitor, config);
}

void describe(FieldVisitor& visitor, ReportConfig& config) {
    visitor.value({.key = "title"}, &config.title);
    visitor.value({.key = "thumbnails", .range = between(0, 1000)}, &config.thumbnails);
    visitor.value({.key = "pictures",
                   .range = between(0, 1e9),
                   .flag = {.name = "--pictures",
                            .type = "N",
                            .group = "Report",
                            .help = "Add a browser of all images to the page, N of them with a picture; "
                                    "{default} (default) = none"}},
                  &config.pictures);
    visitor.value({.key = "picture_megabytes",
                   .range = between(0, 1e6),
                   .flag = {.name = "--picture-megabytes",
                            .type = "MB",
                            .group = "Report",
                            .help = "Size of these pictures together at most; {default} (default)"}},
                  &config.picture_megabytes);
    visitor.value(
        {.key = "latex",
         .flag = {.name = "--latex",
                  .type = "brackets|plus-minus",
                  .group = "Report",
                  .help = "Also write report.tex, the tables for a paper (booktabs), with intervals "
                          "in brackets or as plus-minus"},
         .check =
             [](const std::string& text) {
                 if (!text.empty() && text != "brackets" && text != "plus-minus")
                     throw UsageError("'" + text + "' is none of brackets and plus-minus");
             }},
        &config.latex);
}

void describe(FieldVisitor& visitor, RunConfig& config) {
    visitor.object("dataset", fields_of(config.dataset));
    visitor.object("image", fields_of(config.image));
    visitor.objects("detectors", list_of(config.detectors));
    visitor.object("landmarks", fields_of(config.landmarks));
    visitor.object("recognition", fields_of(config.recognition));
    visitor.object("tracking", fields_of(config.tracking));
    visitor.object("evaluation", fields_of(config.evaluation));
    visitor.object("report", fields_of(config.report));
    visitor.value({.key = "device",
                   .flag = {.name = "--device",
                            .type = "auto|cpu|cuda|cuda:all|cuda:N,M",
                            .group = config_group,
                            .help = "Where to compute; {default} (default) is the first GPU, else the CPU; "
                                    "cuda:all and cuda:N,M are several GPUs"},
                   .check = [](const std::string& text) { parse_device(text); }},
                  &config.device);
    visitor.value({.key = "threads",
                   .range = between(0, 1024, "all cores"),
                   .flag = {.name = "--threads,-j",
                            .type = "N",
                            .group = config_group,
                            .help = "Threads; {default} = all cores (default)",
                            .is_checked = true}},
                  &config.threads);
    visitor.value(
        {.key = "memory_limit_megabytes",
         .range = between(min_memory_limit_megabytes, 1e9),
         .flag = {.name = "--memory-limit",
                  .type = "SIZE",
                  .group = "Large jobs",
                  .help = fmt::format("Host memory to use, approximately, e.g. 800M or 4G (default {}G)",
                                      RunConfig{}.memory_limit_megabytes / 1024)}},
        &config.memory_limit_megabytes);
    visitor.value({.key = "output", .is_path = true}, &config.output);
}

bool processes_images(const RunConfig& config) {
    return !config.recognition.wanted() || !config.dataset.path.empty() || !config.dataset.files.empty();
}

bool runs_detectors(const RunConfig& config) {
    return !config.landmarks.wanted() || config.landmarks.uses(BoxSource::detector);
}

RunConfig run_config_from_json(const Json& json) {
    RunConfig config;
    const JsonPlace place(json);
    read_fields(place, fields_of(config));
    check_fields(place, fields_of(config));
    check_detector_names(config);
    return config;
}

Json run_config_to_json(const RunConfig& config) {
    return json_of(config, escape_environment);
}

void validate_run_config(const RunConfig& config) {
    check_config("", config);
    check_detector_names(config);
}

void expand_environment(RunConfig& config) {
    change_paths("", fields_of(config), [](std::string& value, const std::string& path) {
        try {
            value = expand_environment(value);
        } catch (const UsageError& error) {
            throw UsageError("'" + path + "': " + error.what());
        }
    });
}

}  // namespace fovea
