#include <iostream>

#include <CLI/CLI.hpp>
#include <spdlog/fmt/fmt.h>
#include <spdlog/spdlog.h>

#include "apps/commands/commands.hpp"
#include "apps/options/common_options.hpp"
#include "apps/options/gallery_threshold.hpp"
#include "apps/options/max_unreadable.hpp"
#include "apps/terminal/interrupt.hpp"
#include "apps/terminal/summary.hpp"
#include "lib/config/device_choice.hpp"
#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/files/staged_files.hpp"
#include "lib/job/memory_plan.hpp"
#include "lib/json/field_json.hpp"
#include "lib/run/people/people_job.hpp"

namespace fovea {
namespace {

constexpr const char* people_footer = R"(Examples:
  fovea people photos/ --out people/
  fovea people photos/ --gallery family.fvg --names names.json --out people/
  fovea browse people/ --out page/

Finds the faces in photographs and videos, and groups them by person; nobody says how many people there
are. The folder holds results.jsonl (a line per photograph; each face has "person", the number of its
person, and "identity", the name if there is one), people.json (the people, those with the most faces
first) and run.json. Faces that are too small, blurred, turned away, or like no other stand "apart", with the
reason. Faces are followed through videos, and a track is one face: its best one, whose frame has a line.
tracks.jsonl tells who is on screen, in which video and when.

Run it again when photographs have come or gone: new and changed ones are described, the others are known.
People keep their numbers. Names come from a gallery, or from a file that the page of 'fovea browse' saves:
{"format": "fovea-names", "version": 1, "people": the "id" of people.json, "names": [{"person": 3, "name":
"Ann"}]}. People of one name are one person. After Ctrl-C, a crash or a loss of power, the same command
goes on.

The recogniser is a network: scripts/fetch-recogniser.sh brings that of dlib-resnet-mirror. Two lone faces
are joined up to a distance within which every second face has a stranger, however many faces there are;
--distance sets it. --results and --features take over the photographs that 'fovea detect' has described
with the same model, landmarks and recogniser (and --quality, or none of their faces is taken for blurred),
and that have not changed since.)";

struct PeopleFlags {
    std::vector<std::string> images;
    ConfigFlags common;
    DatasetFlags dataset;
    DetectorFlags detector;
    LandmarkingFlags landmarks;
    FieldFlags image;  ///< of ImageConfig
    std::optional<std::string> memory_limit;
    std::string recogniser = "dlib-resnet-mirror";
    PeopleOptions grouping;
    std::optional<std::string> gallery;
    GalleryThresholdFlags threshold;
    std::optional<std::string> names;
    std::optional<std::string> results;
    std::optional<std::string> features;
    std::optional<UnreadableLimit> max_unreadable;
    bool overwrite = false;
};

RunConfig effective_config(const PeopleFlags& flags) {
    RunConfig config = start_config(flags.common);
    set_images(flags.images, config.dataset);
    apply(flags.dataset, config.dataset);
    apply(flags.detector, config);
    if (!config.landmarks.wanted()) config.landmarks.model = "helen";
    apply(flags.landmarks, flags.detector, config);
    flags.image.apply(config.image, FlagPaths::escaped);
    if (flags.memory_limit)
        config.memory_limit_megabytes = parse_megabytes(*flags.memory_limit, "--memory-limit");
    finish_config_of_folder("people", "groups", config);
    return config;
}

/// The results that were found before; nothing if the flags name none.
std::optional<FinishedResults> finished_results(const PeopleFlags& flags) {
    if (flags.results.has_value() != flags.features.has_value())
        throw UsageError("--results and --features are files of one job; name both, or neither");
    if (!flags.results) return std::nullopt;
    return FinishedResults{*flags.results, *flags.features};
}

void warn(const PeopleFlags& flags, const PeopleResult& outcome) {
    warn_unreadable(outcome.unreadable, outcome.images);
    warn_pages_left_out(outcome.pages_left_out);
    if (outcome.unreadable_frames > 0)
        spdlog::warn("{} of videos cannot be read", counted(outcome.unreadable_frames, "frame"));
    if (outcome.lost_tracks > 0) {
        spdlog::warn("{} of videos left out: their best faces were not found again in their frames",
                     counted(outcome.lost_tracks, "track"));
    }
    if (outcome.frames_left_out > 0) {
        spdlog::warn("{} of videos in '{}' left out: faces of videos are followed through their frames",
                     counted(outcome.frames_left_out, "result"), *flags.results);
    }
}

std::string summary(const RunConfig& config, const PeopleResult& outcome) {
    const PeopleFile& people = outcome.people;
    if (outcome.interrupted) {
        return fmt::format("interrupted; {} described in {}\nto go on: the same command\n",
                           counted(outcome.described, "image"), format_duration(outcome.seconds));
    }
    std::size_t named = 0, grouped = 0;
    for (const Person& person : people.people) {
        named += person.named_by != NamedBy::nobody ? 1 : 0;
        grouped += person.faces;
    }
    std::string text = fmt::format("{}, {} of them new, in {}", counted(outcome.images, "image"),
                                   outcome.described, format_duration(outcome.seconds));
    if (outcome.adopted > 0) text += fmt::format(", {} taken from finished results", outcome.adopted);
    if (!outcome.unreadable.empty()) text += fmt::format(", {} unreadable", outcome.unreadable.size());
    if (outcome.gone > 0) text += fmt::format(", {} gone", outcome.gone);
    text += fmt::format("\n{}: {} of {}", counted(people.faces, "face"), grouped,
                        counted(people.people.size(), "person", "people"));
    if (named > 0) text += fmt::format(" ({} named)", named);
    const char* separator = "; apart: ";
    for (const auto& [reason, faces] : people.apart) {
        text += fmt::format("{}{} {}", separator, faces, reason);
        separator = ", ";
    }
    return text + "\npeople: " + config.output + "\n";
}

Json outcome_json(const RunConfig& config, const PeopleResult& outcome, ExitCode code) {
    Json json;
    json["command"] = "people";
    json["exit_code"] = static_cast<int>(code);
    json["folder"] = config.output;
    json["images"] = outcome.images;
    json["described"] = outcome.described;
    json["adopted"] = outcome.adopted;
    json["gone"] = outcome.gone;
    json["unreadable"] = outcome.unreadable.size();
    json["unreadable_images"] = unreadable_json(outcome.unreadable);
    json["faces"] = outcome.people.faces;
    json["people"] = outcome.people.people.size();
    json["apart"] = outcome.people.apart;
    json["distance"] = outcome.people.distance;
    json["seconds"] = outcome.seconds;
    json["interrupted"] = outcome.interrupted;
    return json;
}

ExitCode group_people(const PeopleFlags& flags, Console& console) {
    const RunConfig config = effective_config(flags);
    if (flags.common.print_config) {
        std::cout << printed_config(config);
        return ExitCode::done;
    }
    if (flags.grouping.distance && !(*flags.grouping.distance > 0))
        throw UsageError("--distance is a distance above 0, as the recogniser measures it");
    limit_video_memory(config);
    const std::optional<FinishedResults> finished = finished_results(flags);
    check_gallery_threshold_flags(flags.threshold);
    check_output_folder(config.output, "--out");
    const RecogniserConfig recogniser = load_recogniser(flags.recogniser);
    const DetectionDevice device = open_detection_device(config.device);
    std::optional<GallerySearch> gallery;
    GalleryThreshold threshold;
    if (flags.gallery) {
        gallery.emplace(read_gallery(*flags.gallery), device);
        if (gallery->info().fingerprint != feature_fingerprint(recogniser)) {
            throw UsageError("the gallery '" + *flags.gallery + "' is of the recogniser '" +
                             gallery->info().recogniser.name + "', and faces are described by '" +
                             recogniser.name +
                             "'; name the same one with --recogniser, or enroll the faces again");
        }
        if (!gallery->faces().empty())
            threshold = gallery_threshold(flags.threshold, recogniser, gallery->faces().size());
    } else if (flags.threshold.far || flags.threshold.threshold) {
        throw UsageError("--far and --threshold say whom a gallery names; name one with --gallery");
    }
    const std::vector<LoadedDetector> detectors = load_detectors(config, device, default_min_confidence);
    const LoadedLandmarker landmarker = load_landmarker(config.landmarks, device);

    console.stage("reading the list of images");
    const JobImages images = read_job_images(config, std::nullopt, config.output);
    InputFiles inputs;
    inputs.add(find_recogniser(flags.recogniser));
    if (flags.gallery) inputs.add(*flags.gallery);
    if (flags.names) inputs.add(*flags.names);
    if (finished) {
        inputs.add(finished->results);
        inputs.add(finished->features);
    }
    const PeopleJob job{{config, images, detectors, device, &landmarker,
                         flags.overwrite ? ExistingResults::overwrite : ExistingResults::resume},
                        recogniser,
                        {config.output, inputs},
                        flags.grouping,
                        gallery && !gallery->faces().empty() ? &*gallery : nullptr,
                        threshold.distance,
                        flags.names.value_or(""),
                        finished};
    tell_why_no_gpu(device);
    const InterruptGuard interrupt;
    const PeopleResult outcome = run_people_job(job, job_hooks(console, interrupt));
    console.clear_progress();

    warn(flags, outcome);
    LostInputs lost = lost_inputs(outcome, images.images.skipped_files());
    lost.unreadable += outcome.unreadable_frames;
    const ExitCode code = exit_code_of_job(outcome.interrupted, lost, flags.max_unreadable);
    console.print_summary(summary(config, outcome));
    console.print_json(outcome_json(config, outcome, code));
    return code;
}

void add_grouping_flags(CLI::App& app, PeopleFlags& flags) {
    constexpr const char* group = "People";
    app.add_option("--recogniser", flags.recogniser, "Recogniser that describes the faces: a network")
        ->type_name("RECOGNISER")
        ->capture_default_str()
        ->group(group);
    app.add_option("--distance", flags.grouping.distance,
                   "Join two lone faces up to this distance (default: by the recogniser's thresholds and the "
                   "number of faces)")
        ->type_name("D")
        ->group(group);
    app.add_option("--min-face", flags.grouping.limits.min_side,
                   "Faces whose box has a shorter side of fewer pixels stand apart")
        ->check(CLI::Range(0, 100000))
        ->type_name("PIXELS")
        ->capture_default_str()
        ->group(group);
    app.add_option("--min-sharpness", flags.grouping.limits.min_sharpness,
                   "Faces of a lower sharpness (the variance of their Laplacian) stand apart as blurred")
        ->check(CLI::Range(0.0, 1e6))
        ->type_name("S")
        ->capture_default_str()
        ->group(group);
    app.add_option("--max-yaw", flags.grouping.limits.max_yaw_deg,
                   "Faces that are turned further to a side stand apart")
        ->check(CLI::Range(0.0, 90.0))
        ->type_name("DEGREES")
        ->capture_default_str()
        ->group(group);
    app.add_option("--min-faces", flags.grouping.min_faces, "A person has at least so many faces")
        ->check(CLI::Range(1, 1000000))
        ->type_name("N")
        ->capture_default_str()
        ->group(group);
    app.add_option("--gallery", flags.gallery, "Name people by a gallery of 'fovea enroll'")
        ->type_name("FILE.fvg")
        ->group(group);
    add_gallery_threshold_flags(app, flags.threshold, group);
    app.add_option("--names", flags.names, "Name people by a file that the page of 'fovea browse' saved")
        ->type_name("FILE.json")
        ->group(group);
}

}  // namespace

Command add_people_command(CLI::App& program) {
    CLI::App* app = program.add_subcommand("people", "Group the faces of photographs and videos by person");
    auto flags = std::make_shared<PeopleFlags>();
    app->footer(people_footer);
    app->add_option("ARCHIVE", flags->images,
                    "A folder, a .tar or .zip archive, a list or dataset (FORMAT:PATH), or several files")
        ->type_name("");
    app->add_option("--out,-o", flags->common.out, "Folder for the people")
        ->type_name("DIR")
        ->group("Output");
    add_grouping_flags(*app, *flags);
    add_config_flags(*app, flags->common);
    app->add_option("--results", flags->results,
                    "Faces that 'fovea detect' has found, which are not looked for again")
        ->type_name("FILE.jsonl")
        ->group("Input");
    app->add_option("--features", flags->features, "Features of the faces of --results")
        ->type_name("FILE.npy")
        ->group("Input");
    add_dataset_flags(*app, flags->dataset);
    add_detector_flags(*app, flags->detector, true);
    flags->landmarks.add<LandmarkConfig>(*app, {"boxes"});
    flags->image.add<ImageConfig>(*app);
    add_run_flag(*app, "memory_limit_megabytes", flags->memory_limit);
    add_max_unreadable_flag(*app, flags->max_unreadable, "Images");
    add_overwrite_flag(*app, flags->overwrite, "people of other work");
    add_device_flag(*app, flags->common.device);
    add_threads_flag(*app, flags->common.threads);
    auto output = add_output_flags(*app);
    return {app, output, [flags](Console& console) { return group_people(*flags, console); }};
}

}  // namespace fovea
