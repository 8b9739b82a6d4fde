#include <CLI/CLI.hpp>
#include <spdlog/fmt/fmt.h>

#include "apps/options/bench_options.hpp"
#include "apps/terminal/interrupt.hpp"
#include "apps/terminal/summary.hpp"
#include "lib/bench/track/track_timing.hpp"
#include "lib/core/job_hooks.hpp"
#include "lib/core/text.hpp"
#include "lib/files/folder.hpp"
#include "lib/job/landmark_stage.hpp"
#include "lib/json/json.hpp"
#include "tests/lab/lab.hpp"
#include "tests/lab/tracks/clip_files.hpp"
#include "tests/lab/tracks/study_record.hpp"

namespace fovea {
namespace {

constexpr const char* tracks_footer = R"(Examples:
  fovea-lab tracks --out study/
  fovea-lab tracks pts:faces/ --encode 28 --out study/

Cuts faces with landmarks out of photographs and draws clips in which they move along known paths. So the
truth is exact, but for the landmarks that were annotated. Faces are followed in them, on the CPU: box IoU,
landmark error (NME), drift, lost faces and changes of identity, by K (a detector runs in every Kth frame),
speed, kind of clip and settings of the flow. Without a dataset, the faces are those of Debian's package
libdlib19.1.)";

constexpr const char* clips_footer = R"(Examples:
  fovea-lab clips --quick --out clips/
  fovea-lab clips --usual --clips 1 --size 1920x1080 --frames 100 --out clips/

Draws the clips of 'fovea-lab tracks' and writes them with their truth, for other programs. Videos are exact
(H.264) without --encode.)";

/// The faces of Debian's package, whose landmarks were found by a model.
constexpr const char* usual_dataset =
    "/usr/share/doc/libdlib19.1/examples/faces/testing_with_face_landmarks.xml";

struct ClipFlags {
    std::vector<std::string> dataset;
    DatasetFlags images;
    FieldFlags tracking;  ///< of TrackConfig
    SingleDetectorFlags detector;
    std::string landmarks = "helen";
    bool quick = false, usual = false;
    std::optional<int> clips, frames, faces, crf;
    std::optional<std::size_t> seed;
    std::optional<std::string> size, keep;
    BenchOutput output;
};

/// Fields of TrackConfig that change nothing here.
const std::vector<std::string>& fields_without_effect() {
    static const std::vector<std::string> keys{"follow",     "redetect",  "look_back",
                                               "rejoin",     "separate",  "max_rejoin_distance",
                                               "recogniser", "smoothing", "explain"};
    return keys;
}

void set_faces(const ClipFlags& flags, RunConfig& config) {
    std::vector<std::string> dataset = flags.dataset;
    if (dataset.empty()) {
        if (!is_there(usual_dataset)) {
            throw UsageError(
                std::string("the photographs of Debian's package libdlib19.1 are not installed (") +
                usual_dataset +
                "); name a dataset of faces with 68 landmarks, as dlib:FILE.xml or pts:FOLDER");
        }
        dataset = {std::string("dlib:") + usual_dataset};
    }
    set_images(dataset, config.dataset);
    apply(flags.images, config.dataset);
}

StudyPlan plan_of(const ClipFlags& flags) {
    StudyPlan plan = flags.quick ? quick_study() : full_study();
    plan.clips = flags.clips.value_or(plan.clips);
    const auto change = [&](ClipPlan& clip) {
        clip.frames = flags.frames.value_or(clip.frames);
        clip.faces = flags.faces.value_or(clip.faces);
        clip.seed = flags.seed.value_or(clip.seed);
        if (!flags.size) return;
        const Size size = parse_size(*flags.size, "--size");
        if (size.width < 160 || size.height < 120 || size.width > 7680 || size.height > 4320)
            throw UsageError("--size is from 160x120 to 7680x4320, and '" + *flags.size + "' is not");
        clip.face_width *= static_cast<double>(size.height) / clip.size.height;
        clip.size = size;
    };
    change(plan.clip);
    if (flags.usual) plan.conditions.clear();
    for (ClipPlan& clip : plan.conditions) change(clip);
    return plan;
}

CutOuts cut_out_for(const StudyPlan& plan, const Dataset& dataset, std::size_t points) {
    const std::size_t max_faces =
        static_cast<std::size_t>(std::max(plan.clip.faces, 1)) * static_cast<std::size_t>(plan.clips) * 4;
    CutOuts cut_outs = cut_out_faces(dataset, points, max_faces);
    warn_unreadable(cut_outs.unreadable, dataset.samples.size());
    return cut_outs;
}

ExitCode code_of(bool interrupted, const CutOuts& cut_outs) {
    return interrupted                    ? ExitCode::interrupted
           : !cut_outs.unreadable.empty() ? ExitCode::inputs_skipped
                                          : ExitCode::done;
}

ExitCode run_tracks(const ClipFlags& flags, Console& console) {
    const InterruptGuard interrupt;  // before the folder is made that is to be removed
    const JobHooks hooks = job_hooks(console, interrupt);
    RunConfig config = single_detector_config("fovea-lab tracks", flags.detector);
    set_faces(flags, config);
    flags.tracking.apply(config.tracking, FlagPaths::escaped);
    finish_config(config);
    const BenchWorkFolder work(std::nullopt, "fovea-track");
    const StudyPlan plan = plan_of(flags);
    prepare_benchmark_folder(flags.output);
    const std::vector<LoadedDetector> detectors =
        load_detectors(config, DetectionDevice::cpu(), default_min_confidence);
    LandmarkConfig landmarks;
    landmarks.model = flags.landmarks;
    const LoadedLandmarker landmarker = load_landmarker(landmarks, DetectionDevice::cpu());
    const BoxRule boxes = rule_for_detector(landmarks, *landmarker.landmarker,
                                            detector_name(detectors[0].config), detectors[0].model);
    const Dataset dataset = read_configured_dataset(config.dataset);
    console.stage("reading photographs");
    const CutOuts cut_outs =
        cut_out_for(plan, dataset, static_cast<std::size_t>(landmarker.landmarker->model().points));

    ThreadLimit limit(config.threads);
    const ScoredMeans scored = with_track_scores(config.tracking.tracker, detectors[0].config.options);
    const TrackMeans means{*detectors[0].detector, scored.detection, landmarker.stage(boxes), limit};
    ClipFilter filter;
    if (flags.keep || flags.crf) {
        filter = [&](Clip& clip) {
            const std::filesystem::path folder = write_clip(
                clip, flags.keep ? std::filesystem::path(*flags.keep) : work.path(), flags.crf.value_or(0));
            if (flags.crf) read_frames(folder / clip_video_name, clip);
        };
    }
    const TrackStudy study = run_track_study(plan, cut_outs, scored.tracker, means, filter, hooks);

    Json head{{"machine", machine_of(DetectionDevice::cpu())},
              {"dataset", dataset.name},
              {"threads", limit.threads()},
              {"faces_cut_out", cut_outs.faces.size()},
              {"photographs", cut_outs.photos.size()}};
    head.update(report::study_head(plan, study));
    return show_benchmark(console, flags.output,
                          {"tracks", code_of(study.interrupted, cut_outs), std::move(head),
                           fmt::format("{} of {}, {}\n\n", counted(cut_outs.faces.size(), "face"),
                                       counted(cut_outs.photos.size(), "photograph"),
                                       counted(static_cast<std::size_t>(limit.threads()), "thread")),
                           flags.keep ? "clips: " + *flags.keep + "\n" : std::string{},
                           report::study_record(plan, study, machine_of(DetectionDevice::cpu()))});
}

ExitCode run_clips(const ClipFlags& flags, Console& console) {
    const InterruptGuard interrupt;
    const JobHooks hooks = job_hooks(console, interrupt);
    RunConfig config;
    config.detectors.emplace_back().model = default_model;
    set_faces(flags, config);
    finish_config(config);
    const StudyPlan plan = plan_of(flags);
    const CutOuts cut_outs = cut_out_for(plan, read_configured_dataset(config.dataset), 68);
    ThreadLimit limit(0);
    std::vector<ClipPlan> kinds{plan.clip};
    kinds.insert(kinds.end(), plan.conditions.begin(), plan.conditions.end());
    Json folders = Json::array();
    for (const ClipPlan& kind : kinds) {
        for (const ClipPlan& clip : clips_of(plan, kind)) {
            if (hooks.is_cancelled()) break;
            hooks.begin_stage("drawing clip " + clip_folder_name(clip));
            folders.push_back(write_clip(drawn_clip(ClipRenderer(clip, cut_outs), limit), *flags.output.out,
                                         flags.crf.value_or(0))
                                  .string());
        }
    }
    console.clear_progress();
    const ExitCode code = code_of(hooks.is_cancelled(), cut_outs);
    console.print_summary(counted(folders.size(), "clip") + " in " + *flags.output.out + "\n");
    console.print_json({{"command", "clips"}, {"exit_code", static_cast<int>(code)}, {"clips", folders}});
    return code;
}

void add_clip_flags(CLI::App& app, ClipFlags& flags) {
    app.add_option("DATASET", flags.dataset, "Photographs of faces with 68 landmarks (FORMAT:PATH)")
        ->type_name("");
    add_dataset_flags(app, flags.images);
    app.add_flag("--quick", flags.quick, "Fewer and smaller clips: less than a minute");
    const auto number = [&](const char* name, std::optional<int>& value, const char* help, int least,
                            int most) {
        app.add_option(name, value, help)->check(CLI::Range(least, most))->type_name("N");
    };
    number("--clips", flags.clips, "Clips of each kind (default: 4; quick: 1)", 1, 1000);
    number("--frames", flags.frames, "Frames of a clip (default: 150; quick: 60)", 2, 100'000);
    number("--faces", flags.faces, "Faces in a clip (default: 2)", 1, 16);
    number("--encode", flags.crf, "Encode the clips as H.264 at this rate factor, and use what is decoded", 0,
           51);
    app.add_option("--seed", flags.seed, "Number of the first random paths (default: 1)")->type_name("N");
    app.add_option("--size", flags.size, "Size of the clips (default: 640x480; quick: 320x240)")
        ->type_name("WxH");
}

}  // namespace

Command add_tracks_command(CLI::App& program) {
    CLI::App* app = program.add_subcommand("tracks", "How well faces are followed in clips that are drawn");
    auto flags = std::make_shared<ClipFlags>();
    app->footer(tracks_footer);
    add_clip_flags(*app, *flags);
    app->add_option("--keep", flags->keep, "Folder for the clips with their truth, for other programs")
        ->type_name("DIR");
    app->add_option("--landmarks", flags->landmarks, "Landmark model (default: helen)")->type_name("MODEL");
    add_bench_output_flags(*app, flags->output);
    flags->tracking.add<TrackConfig>(*app, fields_without_effect());
    add_single_detector_flags(*app, flags->detector);
    return {app, add_output_flags(*app), [flags](Console& console) { return run_tracks(*flags, console); }};
}

Command add_clips_command(CLI::App& program) {
    CLI::App* app = program.add_subcommand("clips", "Draw clips whose faces are known");
    auto flags = std::make_shared<ClipFlags>();
    app->footer(clips_footer);
    add_clip_flags(*app, *flags);
    app->add_flag("--usual", flags->usual, "The usual clips alone, and none that are hard in one way");
    app->add_option("--out,-o", flags->output.out, "Folder for the clips")->type_name("DIR")->required();
    return {app, add_output_flags(*app), [flags](Console& console) { return run_clips(*flags, console); }};
}

}  // namespace fovea
