#include <iostream>

#include <CLI/CLI.hpp>
#include <spdlog/fmt/fmt.h>
#include <spdlog/spdlog.h>

#include "apps/commands/commands.hpp"
#include "apps/options/common_options.hpp"
#include "apps/options/job_flags.hpp"
#include "apps/options/max_unreadable.hpp"
#include "apps/terminal/interrupt.hpp"
#include "apps/terminal/summary.hpp"
#include "lib/config/device_choice.hpp"
#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/job/detection_job.hpp"
#include "lib/job/job_plan.hpp"
#include "lib/job/manifest_file.hpp"
#include "lib/job/memory_plan.hpp"
#include "lib/job/output_guard.hpp"
#include "lib/job/resume_state.hpp"
#include "lib/job/update/update_job.hpp"
#include "lib/json/json.hpp"
#include "lib/landmark/crop_options.hpp"

namespace fovea {
namespace {

constexpr const char* detect_footer = R"(Examples:
  fovea detect photos/ --out results.jsonl
  fovea detect archive.tar --device cuda:all --landmarks helen --out results.jsonl --resume
  fovea detect photos/ --crops faces/ --crop-size 256 --crop-margin 0.4 --out results.jsonl

Writes one JSON line per image, in the order of the images, and the manifest run.json (NAME.run.json
for NAME.jsonl) beside the results. Each frame of a video is an image, with its number and time. The
default detector is wild, for faces in all poses; mct is for upright, frontal ones. Detections with a
confidence of at least 0.5 are kept; --min-score 0 keeps all. With --boxes truth no detector runs: the
program finds landmarks in the annotated box of every face.

Crops of boxes show the image's colours; TIFF, GIF, PNM, compressed files and frames of videos are shown
in grey. Each image with a face is decoded once more for them, and its file stays in memory until then.

The journal results.jsonl.journal lies beside unfinished results. After Ctrl-C, a crash or a loss of
power, the same command with --resume continues. The finished file has the same bytes as that of an
uninterrupted run. Finished results are replaced by the same work, or with --overwrite.

A large job can be divided: '--shard 2/8' does one part of eight, and 'fovea merge' joins the parts.
--update keeps the results of an archive that grows: only images that are new or changed are done, and
the file has the bytes of a run over all. It takes the results' list of images from RESULTS.fvl.)";

struct UpdateFlags {
    std::optional<std::string> results;
    bool retry_unreadable = false;
    bool verify_content = false;

    bool any() const { return results || retry_unreadable || verify_content; }
};

struct ArchiveFlags {
    FieldFlags image;  ///< of ImageConfig
    std::optional<std::string> memory_limit;
    JobFlags job;
    std::optional<UnreadableLimit> max_unreadable;
};

struct CropFlags {
    std::optional<std::string> folder;
    std::optional<std::string> kind;
    std::optional<int> size;
    std::optional<double> margin;
    std::optional<std::string> format;

    bool shape_boxes() const { return size.has_value() || margin.has_value(); }
};

struct DetectFlags {
    std::vector<std::string> images;
    ConfigFlags common;
    DatasetFlags dataset;
    DetectorFlags detector;
    LandmarkingFlags landmarks;
    CropFlags crops;
    std::optional<std::string> features;
    std::optional<std::string> recogniser;
    bool quality = false;
    ArchiveFlags archive;
    UpdateFlags update;
};

void apply(const ArchiveFlags& flags, RunConfig& config) {
    flags.image.apply(config.image, FlagPaths::escaped);
    if (flags.memory_limit) {
        config.memory_limit_megabytes = parse_megabytes(*flags.memory_limit, "--memory-limit");
        if (config.memory_limit_megabytes < min_memory_limit_megabytes) {
            const bool has_unit = flags.memory_limit->find_first_not_of("0123456789.") != std::string::npos;
            throw UsageError("--memory-limit must be " + std::to_string(min_memory_limit_megabytes) +
                             "M or more, but is '" + *flags.memory_limit + "'" +
                             (has_unit ? "" : ", a number of bytes; write M or G behind it"));
        }
    }
}

// Aligned where landmarks are looked for, unless the flags mean boxes.
CropOptions crop_options(const CropFlags& flags, bool with_landmarks) {
    CropOptions options;
    if (!flags.folder) {
        if (flags.kind || flags.shape_boxes() || flags.format)
            throw UsageError("there is no folder for the crops; name one with --crops");
        return options;
    }
    if (flags.folder->empty()) throw UsageError("--crops names no folder");
    const std::string kind = flags.kind.value_or(with_landmarks && !flags.shape_boxes() ? "aligned" : "box");
    options.kind = crop_kind_of(kind).value();
    if (options.kind == CropKind::aligned && flags.shape_boxes()) {
        throw UsageError(
            "--crop-size and --crop-margin shape crops of boxes, and aligned ones have a shape of their own; "
            "leave them out, or give --crop-kind box");
    }
    if (options.kind == CropKind::aligned && !with_landmarks) {
        throw UsageError(
            "aligned crops need landmarks; name a model with --landmarks, e.g. --landmarks helen, or give "
            "--crop-kind box");
    }
    options.as_jpeg = flags.format.value_or(options.kind == CropKind::box ? "jpg" : "png") == "jpg";
    options.size = flags.size.value_or(options.size);
    options.margin = flags.margin.value_or(options.margin);
    if (flags.size == 0) throw UsageError("--crop-size must be 1 or more, but is 0");
    check_crop_options(options);
    return options;
}

/// The update that is wanted, if one is; its results become the output.
std::optional<UpdateRequest> wanted_update(DetectFlags& flags) {
    const UpdateFlags& update = flags.update;
    if (!update.any()) return std::nullopt;
    if (update.results && flags.common.out)
        throw UsageError("--update names the results that are brought up to date; leave --out out");
    if (update.verify_content && !update.results)
        throw UsageError(
            "--verify-content compares images with those of earlier results; name these with --update");
    if (flags.archive.job.shard) {
        throw UsageError(
            "the parts of a job have nothing to be brought up to date with; merge them, and update the "
            "merged results");
    }
    if (flags.crops.folder) {
        throw UsageError(
            "the names of crops follow from the names of all images, which an update does not see; leave out "
            "--crops");
    }
    if (update.results) flags.common.out = update.results;
    if (!flags.common.out || *flags.common.out == "-")
        throw UsageError(
            "--retry-unreadable needs the results whose images are read again; name them with --out");
    UpdateRequest request;
    request.results = *flags.common.out;
    request.features = flags.features.value_or("");
    request.follows_images = update.results.has_value();
    request.retries_unreadable = update.retry_unreadable;
    request.compares_contents = update.verify_content;
    request.starts_again = existing_results(flags.archive.job) == ExistingResults::overwrite;
    return request;
}

/// "3 new, 1 changed, 2 read again, 4 gone, 9,990 kept"
std::string update_text(const UpdateCounts& counts) {
    const auto number = [](std::size_t count) { return grouped(static_cast<long long>(count)); };
    std::string text = fmt::format("{} new, {} changed", number(counts.added), number(counts.changed));
    if (counts.retried > 0) text += fmt::format(", {} read again", number(counts.retried));
    return text + fmt::format(", {} gone, {} kept", number(counts.gone), number(counts.kept));
}

RunConfig effective_config(const DetectFlags& flags) {
    RunConfig config = start_config(flags.common);
    set_images(flags.images, config.dataset);
    apply(flags.dataset, config.dataset);
    config.dataset.may_run_commands = flags.archive.job.run_commands;
    apply(flags.detector, config);
    apply(flags.landmarks, flags.detector, config);
    apply(flags.archive, config);
    // In a configuration of `fovea run` the output is a folder; here it is a results file.
    if (!flags.common.out) config.output = "-";
    if (config.detectors.size() > 1) {
        throw UsageError("fovea detect runs one detector, but " + std::to_string(config.detectors.size()) +
                         " are given; use 'fovea run' to run several on the same images");
    }
    if (config.landmarks.wanted() && config.landmarks.boxes.size() > 1) {
        throw UsageError(
            "fovea detect writes one results file, but landmarks are wanted in boxes of detector and truth; "
            "choose with --boxes, or use 'fovea run' for both");
    }
    finish_config(config);
    return config;
}

// The device that did most of the work.
std::string device_of(const DetectionJob& job) {
    return job.detectors.empty() ? job.landmarker->landmarker->device_name()
                                 : job.detectors[0].detector->device_name();
}

void show(const DetectionJob& job, const DetectionJobResult& outcome, const UpdateJob* update, ExitCode code,
          const Console& console) {
    const RunConfig& config = job.config;
    DetectionFiles files = job.files;
    if (update != nullptr) {
        files.manifest = manifest_path(config.output);
        files.features = update->features();
    }
    const DetectImagesResult& images = outcome.images;
    const std::size_t detections = images.tasks.at(0).detections;
    std::string found = counted(detections, runs_detectors(config) ? "detection" : "face");
    if (!job.detectors.empty()) found += " by " + detector_name(job.detectors[0].config);
    std::string text = fmt::format("{}, {} in {}", counted(images.images, "image"), found,
                                   format_duration(images.total_seconds));
    if (!images.unreadable.empty()) text += fmt::format(", {} unreadable", images.unreadable.size());
    if (images.damaged > 0) text += fmt::format(", {} damaged", counted(images.damaged, "frame"));
    if (outcome.resumed > 0) text += fmt::format(", {} of them before", outcome.resumed);
    if (images.interrupted) text += ", interrupted";
    text += "\n";
    if (update != nullptr) text += update_text(update->counts()) + "\n";
    if (config.output != "-") text += "results: " + config.output + "\n";
    const std::size_t crops = images.tasks.at(0).crops;
    if (images.interrupted && config.output != "-") text += "to go on: the same command with --resume\n";
    if (!files.features.empty()) text += "features: " + files.features.string() + "\n";
    if (!files.crops.empty()) text += counted(crops, "crop") + ": " + files.crops.string() + "\n";
    console.print_summary(text);

    Json json;
    json["command"] = "detect";
    json["exit_code"] = static_cast<int>(code);
    json["results"] = config.output;
    json["manifest"] = files.manifest.string();
    if (!files.features.empty()) json["features"] = files.features.string();
    json["resumed"] = outcome.resumed;
    if (update != nullptr) json["update"] = update->counts_json();
    json["device"] = device_of(job);
    if (!job.detectors.empty()) json["model"] = job.detectors[0].model.string();
    add_counts_json(json, images);
    json["detections"] = detections;
    if (!files.crops.empty()) json["crops"] = crops;
    console.print_json(json);
}

ExitCode detect(DetectFlags flags, Console& console) {
    std::optional<UpdateRequest> update_request = wanted_update(flags);
    const std::optional<Shard> shard = wanted_shard(flags.archive.job, {&flags.common.out, &flags.features});
    if (shard && flags.crops.folder) {
        throw UsageError(
            "the names of crops follow from the names of all images, which a shard does not see; leave "
            "out --crops or --shard");
    }
    const RunConfig config = effective_config(flags);
    if (flags.common.print_config) {
        std::cout << printed_config(config);
        return ExitCode::done;
    }
    limit_video_memory(config);
    const bool to_stdout = config.output == "-";
    if (to_stdout) console.reserve_stdout("the results");
    const CropOptions crops = crop_options(flags.crops, config.landmarks.wanted());
    if (flags.recogniser && !flags.features)
        throw UsageError("--recogniser needs a file for features; name one with --features");
    InputFiles inputs;
    std::optional<RecogniserConfig> recogniser;
    if (flags.features) {
        if (!config.landmarks.wanted()) {
            throw UsageError(
                "--features describes faces that are turned by their landmarks; name a model with "
                "--landmarks, e.g. --landmarks helen");
        }
        const std::string name = flags.recogniser.value_or(default_recogniser);
        recogniser = load_unweighted_recogniser(name);
        inputs.add(find_recogniser(name));
    }
    const DetectionDevice device = open_detection_device(config.device);
    std::vector<LoadedDetector> detectors;
    if (runs_detectors(config)) detectors = load_detectors(config, device, default_min_confidence);
    std::optional<LoadedLandmarker> landmarker;
    if (config.landmarks.wanted()) landmarker = load_landmarker(config.landmarks, device);

    const InterruptGuard interrupt;
    const JobHooks hooks = job_hooks(console, interrupt);
    console.stage("reading the list of images");
    DetectionFiles files{{config.output},
                         manifest_path(config.output),
                         flags.crops.folder.value_or(""),
                         flags.features.value_or(""),
                         {},
                         crops,
                         inputs};
    ExistingResults existing = existing_results(flags.archive.job);
    wait_for_results(flags.archive.job, config.output);
    std::optional<UpdateJob> update;
    JobImages images;
    if (update_request) {
        update_request->images = image_list_request(config);
        update.emplace(*std::move(update_request), hooks);
        files.results = {update->new_results()};
        files.manifest = manifest_path(update->new_results());
        files.features = update->new_features();
        existing = ExistingResults::resume;
        images = update->images();
        images.earlier = find_resume_state(EarlierFiles::of(files), existing);
    } else {
        images = read_job_images(config, find_resume_state(EarlierFiles::of(files), existing), config.output,
                                 shard);
    }
    const DetectionJob job{{config, images, detectors, device, landmarker ? &*landmarker : nullptr, existing},
                           "detect",
                           files,
                           recogniser,
                           flags.quality};
    const JobPlan plan = plan_job(job);
    if (update) update->check_is_same_work(plan.work);
    DetectionJobResult outcome = run_detection_job(job, plan, hooks);
    if (update && !outcome.images.interrupted) {
        const MergeResult merged = update->finish(hooks);
        outcome.images.interrupted = merged.interrupted;
        static_cast<ImageCounts&>(outcome.images) = merged;
        outcome.images.tasks.at(0).detections = merged.detections;
    }
    console.clear_progress();

    warn_unreadable(outcome.images.unreadable, outcome.images.images);
    warn_pages_left_out(outcome.images.pages_left_out);
    const ExitCode code = exit_code_of_job(
        outcome.images.interrupted, lost_inputs(outcome.images, images.images.skipped_files()),
        shard ? limit_of_part(flags.archive.max_unreadable) : flags.archive.max_unreadable);
    show(job, outcome, update ? &*update : nullptr, code, console);
    return code;
}

void add_crop_flags(CLI::App& app, CropFlags& flags) {
    constexpr const char* group = "Crops of faces";
    app.add_option("--crops", flags.folder,
                   "Folder for a picture of each face; the results name its file as \"crop\"")
        ->type_name("DIR")
        ->group(group);
    app.add_option(
           "--crop-kind", flags.kind,
           "box: the box with a margin, in colours; aligned: in grey, 130x150 pixels with the eyes at "
           "(30,45) and (100,45) (default: aligned with --landmarks, else box)")
        ->check(CLI::IsMember({"aligned", "box"}))
        ->type_name("KIND")
        ->group(group);
    app.add_option("--crop-size", flags.size,
                   "Scale boxes to squares of N pixels a side (default: the pixels as they are)")
        ->type_name("N")
        ->group(group);
    app.add_option("--crop-margin", flags.margin,
                   fmt::format("Margin at each side of a box, as a share of the box (default {:g})",
                               CropOptions{}.margin))
        ->type_name("SHARE")
        ->group(group);
    app.add_option("--crop-format", flags.format, "Format of the crops (default: jpg of boxes, else png)")
        ->check(CLI::IsMember({"jpg", "png"}))
        ->type_name("FORMAT")
        ->group(group);
}

void add_archive_flags(CLI::App& app, DetectFlags& flags) {
    ArchiveFlags& archive = flags.archive;
    add_job_flags(app, archive.job, "results of other work", "--out and --features");
    add_max_unreadable_flag(app, archive.max_unreadable, "Images");
    app.add_option(
           "--update", flags.update.results,
           "Bring these results up to date: do what is new or changed by size or time, drop what is gone")
        ->type_name("FILE")
        ->group(job_flags_group);
    app.add_flag("--retry-unreadable", flags.update.retry_unreadable,
                 "Read the images again that finished results, of --out or --update, tell as unreadable")
        ->group(job_flags_group);
    app.add_flag("--verify-content", flags.update.verify_content,
                 "With --update, an image is changed if its bytes are others; all images are read for that")
        ->group(job_flags_group);
    archive.image.add<ImageConfig>(app);
    add_run_flag(app, "memory_limit_megabytes", archive.memory_limit);
    app.add_option("--features", flags.features,
                   "File for the features of all faces, a NumPy array with a row for each detection; needs "
                   "--landmarks")
        ->type_name("FILE.npy")
        ->group("Output");
    app.add_option("--recogniser", flags.recogniser,
                   fmt::format("Recogniser that makes the features (default {})", default_recogniser))
        ->type_name("RECOGNISER")
        ->group("Output");
}

}  // namespace

Command add_detect_command(CLI::App& program) {
    CLI::App* app =
        program.add_subcommand("detect", "Detect faces in images and videos and write JSON Lines");
    auto flags = std::make_shared<DetectFlags>();
    app->footer(detect_footer);
    app->add_option(
           "IMAGES", flags->images,
           "A folder, a video, a .tar or .zip archive, a list or dataset (FORMAT:PATH), '-' for a list on "
           "standard input, or several files")
        ->type_name("");
    app->add_option("--out,-o", flags->common.out, "Results file; '-' is standard output (default)")
        ->type_name("FILE")
        ->group("Output");
    add_crop_flags(*app, flags->crops);
    add_config_flags(*app, flags->common);
    add_dataset_flags(*app, flags->dataset);
    add_detector_flags(*app, flags->detector, true);
    add_landmarking_flags(*app, flags->landmarks, false);
    app->add_flag(
           "--quality", flags->quality,
           "Results say how sharp each face is and, with 68 landmarks, by how many degrees it is turned")
        ->group("Output");
    add_archive_flags(*app, *flags);
    add_device_flag(*app, flags->common.device);
    add_threads_flag(*app, flags->common.threads);
    auto output = add_output_flags(*app);
    return {app, output, [flags](Console& console) { return detect(*flags, console); }};
}

}  // namespace fovea
