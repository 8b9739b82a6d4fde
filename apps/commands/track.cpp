#include <iostream>

#include <CLI/CLI.hpp>
#include <spdlog/fmt/fmt.h>
#include <spdlog/spdlog.h>

#include "apps/commands/commands.hpp"
#include "apps/options/common_options.hpp"
#include "apps/options/gallery_threshold.hpp"
#include "apps/options/job_flags.hpp"
#include "apps/options/max_unreadable.hpp"
#include "apps/terminal/interrupt.hpp"
#include "apps/terminal/summary.hpp"
#include "lib/config/device_choice.hpp"
#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/files/staged_files.hpp"
#include "lib/job/memory_plan.hpp"
#include "lib/job/resume_state.hpp"
#include "lib/json/json.hpp"
#include "lib/run/track/track_files.hpp"
#include "lib/run/track/track_job.hpp"
#include "lib/run/track/track_journal.hpp"

namespace fovea {
namespace {

constexpr const char* track_footer = R"(Examples:
  fovea track video.mp4 --out tracks/
  fovea track videos/ --landmarks default --device cuda --out tracks/
  fovea track video.mp4 --gallery people.fvg --annotate faces.mp4 --out tracks/ --resume

Follows each face through the frames of a video, or through the numbered pictures of a folder. A detector
runs in every 10th frame (--redetect); between, boxes follow points in the faces by optical flow. A new
face is followed back to where it came from (--look-back). The default detector is wild.

The folder holds results.jsonl (a line per frame; "track" is the number of a face, "followed" the frames
to the detection that it follows from), tracks.jsonl (a line per track, with its time on screen and its
best face), tracks.csv (a row per face and frame), mot/ (MOTChallenge's format, a file per video), faces/
(the best face of each track), tracks.html (timelines, and faces of each track) and run.json. The model
helen finds landmarks; --landmarks none leaves them out. With --explain, decisions.jsonl tells for each
frame and track what motion and flow expected, what the face was joined to, and why it was lost.

Files take their places when all videos are done. Until then, the folder .track-journal keeps the videos
that are done. After Ctrl-C, a crash or a loss of power, the same command with --resume goes through the
others; the files have the same bytes as those of an uninterrupted run. Finished results are replaced by
the same work, or with --overwrite. '--shard 2/8' takes one part of eight of the videos, and 'fovea merge'
joins the folders.)";

constexpr const char* no_landmarks = "none";

struct TrackFlags {
    std::vector<std::string> images;
    ConfigFlags common;
    DatasetFlags dataset;
    DetectorFlags detector;
    LandmarkingFlags landmarks;
    FieldFlags image;     ///< of ImageConfig
    FieldFlags tracking;  ///< of TrackConfig
    std::optional<std::string> memory_limit;
    std::optional<std::string> gallery;
    std::optional<std::string> annotate;
    GalleryThresholdFlags threshold;
    std::optional<UnreadableLimit> max_unreadable;
    JobFlags job;
};

RunConfig effective_config(const TrackFlags& flags) {
    RunConfig config = start_config(flags.common);
    set_images(flags.images, config.dataset);
    apply(flags.dataset, config.dataset);
    config.dataset.may_run_commands = flags.job.run_commands;
    apply(flags.detector, config);
    if (!config.landmarks.wanted()) config.landmarks.model = "helen";
    apply(flags.landmarks, flags.detector, config);
    if (config.landmarks.model == no_landmarks) config.landmarks.model.clear();
    flags.image.apply(config.image, FlagPaths::escaped);
    flags.tracking.apply(config.tracking, FlagPaths::escaped);
    if (flags.memory_limit)
        config.memory_limit_megabytes = parse_megabytes(*flags.memory_limit, "--memory-limit");
    if (config.image.scaled_decoding || config.image.decoder == DecoderChoice::nvjpeg)
        throw UsageError(
            "fovea track decodes pictures whole and on the CPU; leave image.scaled_decoding and "
            "image.decoder out of the configuration");
    if (!config.detectors.empty() && config.detectors[0].box_offsets != BoxOffsets{})
        throw UsageError(
            "fovea track writes boxes as the detector finds them; leave box_offsets out of the "
            "configuration");
    finish_config_of_folder("track", "follows", config);
    return config;
}

std::string summary(const RunConfig& config, const TrackJobResult& outcome, const GalleryThreshold& threshold,
                    const std::string& annotated) {
    std::string text =
        fmt::format("{} of {}, {}: {} in {}", counted(outcome.found.images, "frame"),
                    counted(outcome.sequences.size(), "video"), counted(outcome.found.tracks, "track"),
                    counted(outcome.found.boxes, "box", "boxes"), format_duration(outcome.seconds));
    text += fmt::format(", {} detected and {} followed", outcome.found.detected,
                        outcome.found.boxes - outcome.found.detected);
    if (!outcome.found.unreadable.empty())
        text += fmt::format(", {} unreadable", outcome.found.unreadable.size());
    if (outcome.found.damaged > 0)
        text += fmt::format(", {} damaged", counted(outcome.found.damaged, "frame"));
    if (outcome.found.named > 0) text += fmt::format(", {} of the tracks named", outcome.found.named);
    if (outcome.resumed > 0) text += fmt::format(", {} of the frames before", outcome.resumed);
    if (outcome.interrupted) text += ", interrupted";
    if (outcome.keeps_earlier) text += "; the earlier results stay as they were";
    if (!threshold.sentence.empty()) text += "\n" + threshold.sentence;
    text += "\ntracks: " + config.output + "\n";
    if (outcome.interrupted) text += "to go on: the same command with --resume\n";
    if (!outcome.encoder.empty())
        text += fmt::format("annotated: {} ({}, {})\n", annotated, outcome.encoder,
                            format_duration(outcome.annotate_seconds));
    return text;
}

Json outcome_json(const RunConfig& config, const TrackJobResult& outcome, ExitCode code) {
    Json json;
    json["command"] = "track";
    json["exit_code"] = static_cast<int>(code);
    json["folder"] = config.output;
    json["sequences"] = outcome.sequences.size();
    json["images"] = outcome.found.images;
    json["unreadable"] = outcome.found.unreadable.size();
    json["unreadable_images"] = unreadable_json(outcome.found.unreadable);
    json["damaged"] = outcome.found.damaged;
    json["pages_left_out"] = outcome.found.pages_left_out;
    json["tracks"] = outcome.found.tracks;
    json["boxes"] = outcome.found.boxes;
    json["detected"] = outcome.found.detected;
    json["named"] = outcome.found.named;
    json["resumed"] = outcome.resumed;
    json["seconds"] = outcome.seconds;
    json["interrupted"] = outcome.interrupted;
    return json;
}

ExitCode track(TrackFlags flags, Console& console) {
    const std::optional<Shard> shard = wanted_shard(flags.job, {&flags.common.out, &flags.annotate});
    const RunConfig config = effective_config(flags);
    if (flags.common.print_config) {
        std::cout << printed_config(config);
        return ExitCode::done;
    }
    limit_video_memory(config);
    check_gallery_threshold_flags(flags.threshold);
    check_output_folder(config.output, "--out");
    const TrackFolder folder{config.output};
    const ExistingResults existing = existing_results(flags.job);
    wait_for_results(flags.job, folder.results());
    std::optional<ResumeState> earlier = find_resume_state(earlier_tracks(folder), existing);
    const DetectionDevice device = open_detection_device(config.device);
    const std::vector<LoadedDetector> detectors = load_detectors(config, device, default_min_confidence);
    std::optional<LoadedLandmarker> landmarker;
    if (config.landmarks.wanted()) landmarker = load_landmarker(config.landmarks, device);
    std::optional<GallerySearch> gallery;
    GalleryThreshold threshold;
    if (flags.gallery) {
        gallery.emplace(read_gallery(*flags.gallery), DetectionDevice::cpu());
        if (!gallery->faces().empty()) {
            threshold =
                gallery_threshold(flags.threshold, gallery->info().recogniser, gallery->faces().size());
        }
    } else if (flags.threshold.far || flags.threshold.threshold) {
        throw UsageError("--far and --threshold say whom a gallery names; name one with --gallery");
    }

    console.stage("reading the list of images");
    JobImages images = read_job_images(config, std::move(earlier), folder.results());
    images.shard = shard;  // of its videos
    InputFiles inputs;
    if (flags.gallery) inputs.add(*flags.gallery);
    const TrackJob job{{config, images, detectors, device, landmarker ? &*landmarker : nullptr, existing},
                       gallery ? &*gallery : nullptr,
                       threshold.distance,
                       {config.output, inputs},
                       flags.annotate.value_or("")};
    tell_why_no_gpu(device);
    const InterruptGuard interrupt;
    const TrackJobResult outcome = run_track_job(job, job_hooks(console, interrupt));
    console.clear_progress();

    warn_unreadable(outcome.found.unreadable, outcome.found.images);
    warn_pages_left_out(outcome.found.pages_left_out);
    for (const std::string& note : outcome.annotation_notes) spdlog::warn("{}", note);
    const ExitCode code =
        exit_code_of_job(outcome.interrupted, lost_inputs(outcome.found, images.images.skipped_files()),
                         shard ? limit_of_part(flags.max_unreadable) : flags.max_unreadable);
    console.print_summary(summary(config, outcome, threshold, flags.annotate.value_or("")));
    console.print_json(outcome_json(config, outcome, code));
    return code;
}

}  // namespace

Command add_track_command(CLI::App& program) {
    CLI::App* app = program.add_subcommand("track", "Follow faces through videos");
    auto flags = std::make_shared<TrackFlags>();
    app->footer(track_footer);
    app->add_option(
           "VIDEOS", flags->images,
           "A video, a folder or an archive of videos or of numbered pictures, a dataset (FORMAT:PATH), "
           "or several files")
        ->type_name("");
    app->add_option("--out,-o", flags->common.out, "Folder for all results")
        ->type_name("DIR")
        ->group("Output");
    app->add_option(
           "--annotate", flags->annotate,
           "Video with the faces drawn in, and its sound: a file that ends in .mp4 or .mkv, or a folder for "
           "several videos")
        ->type_name("FILE|DIR")
        ->group("Output");
    app->add_option("--gallery", flags->gallery, "Name the persons by a gallery of 'fovea enroll'")
        ->type_name("FILE.fvg")
        ->group("Tracking");
    add_gallery_threshold_flags(*app, flags->threshold, "Tracking");
    add_config_flags(*app, flags->common);
    add_dataset_flags(*app, flags->dataset);
    flags->tracking.add<TrackConfig>(*app);
    add_detector_flags(*app, flags->detector, true);
    flags->landmarks.add<LandmarkConfig>(*app, {"boxes"});
    flags->image.add<ImageConfig>(*app, {"decoder", "allow_mixed_decoders", "scaled_decoding"});
    add_job_flags(*app, flags->job, "results of other work and annotated videos", "--out and --annotate");
    add_max_unreadable_flag(*app, flags->max_unreadable, "Images");
    add_run_flag(*app, "memory_limit_megabytes", flags->memory_limit);
    add_device_flag(*app, flags->common.device);
    add_threads_flag(*app, flags->common.threads);
    auto output = add_output_flags(*app);
    return {app, output, [flags](Console& console) { return track(*flags, console); }};
}

}  // namespace fovea
