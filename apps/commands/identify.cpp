#include <set>

#include <CLI/CLI.hpp>
#include <spdlog/fmt/fmt.h>
#include <spdlog/spdlog.h>

#include "apps/commands/commands.hpp"
#include "apps/options/gallery_flags.hpp"
#include "apps/options/gallery_threshold.hpp"
#include "apps/terminal/interrupt.hpp"
#include "apps/terminal/summary.hpp"
#include "kernels/core/stopwatch.hpp"
#include "lib/config/device_choice.hpp"
#include "lib/core/text.hpp"
#include "lib/files/input_files.hpp"
#include "lib/files/staged_files.hpp"
#include "lib/job/manifest_file.hpp"
#include "lib/job/manifest_parts.hpp"
#include "lib/json/json.hpp"
#include "lib/process/command_line.hpp"
#include "lib/run/recognition/face_finder.hpp"
#include "lib/run/recognition/identify_dataset.hpp"

namespace fovea {
namespace {

constexpr const char* identify_footer = R"(Examples:
  fovea identify photos/ --gallery people.fvg --out results.jsonl
  fovea identify photos/ --gallery people.fvg --all-faces -k 1 --far 0.01 --out results.jsonl
  fovea identify feret:lists/fafb.srt --gallery fa.fvg --faces truth --out fafb.jsonl --scores fafb.csv

Writes one JSON line per image, in the order of the images. Each face has "distance" and "identity":
the distance to the nearest face of the gallery, and its subject. "identity" is left out if the subject
is unknown or nobody is near enough. "candidates" lists the nearest face of each of the k nearest
subjects.

The gallery decides the recogniser, and the recogniser's file holds thresholds at false accept rates,
measured on photographs of people that it was not tuned on. A stranger is compared with every face of
the gallery, so the chance of a false name grows with the gallery; --far is that of the whole search,
and larger galleries get a stricter threshold.

If the dataset names subjects, the program prints the rank-1 rate. --scores writes all distances for
'fovea evaluate identification'.)";

struct IdentifyFlags {
    GalleryJobFlags job;
    std::string out = "-";
    std::size_t candidates = 5;
    GalleryThresholdFlags threshold;
    bool leave_one_out = false;
    std::optional<std::string> scores;
    bool overwrite = false;
};

// How the scores are evaluated: with datasets where these are whole, else with a list of who is in which
// image.
std::string evaluation_command(const IdentifyFlags& flags, const GallerySearch& gallery) {
    std::set<std::string> datasets;
    for (const GalleryFace& face : gallery.faces()) datasets.insert(face.dataset);
    const bool whole =
        datasets.size() == 1 && !flags.job.images.has("pattern") && !flags.job.images.has("limit");
    const std::string who = whole ? "--gallery " + quoted_for_shell(*datasets.begin()) + " --probes " +
                                        quoted_for_shell(flags.job.dataset)
                                  : "--subjects FILE";
    return "fovea evaluate identification " + who + " --scores " + quoted_for_shell(*flags.scores) +
           " --distance";
}

void check_flags(const IdentifyFlags& flags) {
    if (flags.scores && *flags.scores == "-") throw UsageError("--scores needs a file, not standard output");
    if (flags.scores && flags.scores->empty()) throw UsageError("--scores names no file");
    check_gallery_threshold_flags(flags.threshold);
}

Json manifest_of(const IdentifyFlags& flags, const Dataset& dataset, const LoadedFaceFinder& finder,
                 const Recogniser& recogniser, const GalleryInfo& gallery, const GalleryThreshold& threshold,
                 const IdentifyResult& outcome, double seconds) {
    ManifestRecord record =
        gallery_job_manifest("identify", flags.job, dataset, finder, recogniser, outcome.failures, seconds);
    record.interrupted = outcome.interrupted;
    record.configuration["candidates"] = flags.candidates;
    record.configuration["threshold"] = gallery_threshold_to_json(threshold);
    record.configuration["leave_one_out"] = flags.leave_one_out;
    record.own["gallery"] = {{"path", gallery.file.string()},
                             {"sha256", sha256_of_file(gallery.file)},
                             {"faces", gallery.faces},
                             {"subjects", gallery.subjects}};
    record.counts = {{"images", outcome.images},
                     {"faces", outcome.faces},
                     {"identified", outcome.identified},
                     {"nearest_only", outcome.nearest_only},
                     {"pages_left_out", outcome.pages_left_out},
                     {"failures", outcome.failures.size()}};
    return manifest_json(record);
}

void warn(const IdentifyResult& outcome, const Dataset& dataset, const FaceFinderConfig& finder,
          const GalleryInfo& gallery) {
    if (gallery.torn_bytes > 0) {
        spdlog::warn("the last {} of the gallery are of an enrolment that was cut off; they were passed over",
                     counted(gallery.torn_bytes, "byte"));
    }
    warn_failures(outcome.failures, dataset, finder);
    warn_pages_left_out(outcome.pages_left_out);
    if (outcome.in_gallery > 0) {
        spdlog::warn(
            "{} in the gallery themselves, and found there; --leave-one-out compares with the others",
            counted(outcome.in_gallery, "image is", "images are"));
    }
}

std::string summary(const IdentifyFlags& flags, const IdentifyResult& outcome, const GallerySearch& gallery,
                    const GalleryThreshold& threshold) {
    std::string text = fmt::format("{}, {}, {} identified", counted(outcome.images, "image"),
                                   counted(outcome.faces, "face"), outcome.identified);
    if (outcome.nearest_only > 0) {
        text += fmt::format(" and {} nearest only (nobody is near enough)", outcome.nearest_only);
    }
    text += fmt::format(" among {} of {}", counted(gallery.info().faces, "face"),
                        counted(gallery.info().subjects, "subject"));
    if (!outcome.failures.empty()) text += fmt::format(", {} without a face", outcome.failures.size());
    if (outcome.interrupted) text += ", interrupted";
    text += "\n" + threshold.sentence + "\n";
    if (outcome.mated > 0) {
        text += fmt::format("rank 1: {} of {} images of subjects in the gallery ({:.2f} %)\n", outcome.rank1,
                            outcome.mated,
                            100.0 * static_cast<double>(outcome.rank1) / static_cast<double>(outcome.mated));
    }
    if (flags.out != "-") text += "results: " + flags.out + "\n";
    if (flags.scores && !outcome.interrupted) {
        text += "scores: " + *flags.scores + "\n";
        text += "evaluate them: " + evaluation_command(flags, gallery) + "\n";
    } else if (outcome.mated > 0 && flags.out != "-") {
        text +=
            "for curves, intervals and open sets write --scores FILE and use 'fovea evaluate "
            "identification'\n";
    }
    return text;
}

void show(const IdentifyFlags& flags, const IdentifyResult& outcome, const GallerySearch& gallery,
          const GalleryThreshold& threshold, const Json& manifest, const std::filesystem::path& manifest_file,
          ExitCode code, const Console& console) {
    console.print_summary(summary(flags, outcome, gallery, threshold));
    Json json;
    json["command"] = "identify";
    json["exit_code"] = static_cast<int>(code);
    json["results"] = flags.out;
    json["manifest"] = manifest_file.string();
    if (flags.scores && !outcome.interrupted) json["scores"] = *flags.scores;
    json["device"] = manifest["device"];
    json["interrupted"] = outcome.interrupted;
    json.update(manifest["counts"]);
    json["failed"] = manifest["failures"];
    json["threshold"] = gallery_threshold_to_json(threshold);
    if (outcome.mated > 0) {
        json["mated"] = outcome.mated;
        json["rank1"] = static_cast<double>(outcome.rank1) / static_cast<double>(outcome.mated);
    }
    json["seconds"] = manifest["timings"]["total_seconds"];
    console.print_json(json);
}

ExitCode identify(const IdentifyFlags& flags, Console& console) {
    const Stopwatch watch;
    if (flags.out == "-") console.reserve_stdout("the results");
    check_flags(flags);
    const FaceFinderConfig finder_config = face_finder_config(flags.job);
    console.stage("reading the list of images");
    const Dataset dataset = read_job_dataset(flags.job);
    const std::filesystem::path manifest_file = manifest_path(flags.out);
    const DetectionDevice device = open_detection_device(flags.job.device.value_or("auto"));
    console.stage("reading the gallery");
    GallerySearch gallery(read_gallery(flags.job.gallery), device);
    if (gallery.faces().empty()) {
        throw Error("The gallery '" + flags.job.gallery +
                    "' holds no face to search for; enrol some with 'fovea enroll'.");
    }
    const GalleryThreshold threshold =
        gallery_threshold(flags.threshold, gallery.info().recogniser, gallery.faces().size());
    const LoadedFaceFinder finder(finder_config, device);
    InputFiles inputs;
    inputs.add(flags.job.gallery);
    add_inputs(dataset, inputs);
    finder.add_inputs(inputs);
    inputs.refuse_clashes(std::vector<PlannedOutput>{
        {flags.out, "results"}, {manifest_file, "manifest"}, {flags.scores.value_or(""), "scores"}});
    if (flags.out != "-") refuse_to_replace(flags.out, flags.overwrite);
    if (flags.scores) refuse_to_replace(*flags.scores, flags.overwrite);
    const Recogniser recogniser(gallery.info().recogniser, device);

    tell_why_no_gpu(device);
    const InterruptGuard interrupt;
    if (flags.out != "-") make_parent_folder(flags.out);
    std::optional<ScoreMatrixWriter> scores;
    if (flags.scores) {
        make_parent_folder(*flags.scores);
        scores.emplace(*flags.scores, images_of_gallery(gallery.faces()));
    }
    ResultsWriter results(flags.out);
    IdentifyOptions options;
    options.enrolment = {.threads = flags.job.threads.value_or(0), .hooks = job_hooks(console, interrupt)};
    options.candidates = flags.candidates;
    options.threshold = threshold.distance;
    options.leave_one_out = flags.leave_one_out;
    console.stage("identifying");
    const IdentifyResult outcome = identify_dataset(dataset, finder.finder(), recogniser, gallery, options,
                                                    results, scores ? &*scores : nullptr);
    results.close();
    if (scores && !outcome.interrupted) scores->finish();
    console.clear_progress();
    warn(outcome, dataset, finder.config(), gallery.info());
    const double seconds = watch.seconds();
    const Json manifest =
        manifest_of(flags, dataset, finder, recogniser, gallery.info(), threshold, outcome, seconds);
    if (!manifest_file.empty()) write_json_file(manifest_file, manifest);
    const ExitCode code =
        exit_code_of(flags.job, dataset, outcome.failures, outcome.pages_left_out, outcome.interrupted);
    show(flags, outcome, gallery, threshold, manifest, manifest_file, code, console);
    return code;
}

}  // namespace

Command add_identify_command(CLI::App& program) {
    CLI::App* app = program.add_subcommand("identify", "Recognise the faces in images by a gallery");
    auto flags = std::make_shared<IdentifyFlags>();
    app->footer(identify_footer);
    add_gallery_job_flags(*app, flags->job, "Gallery file, made by 'fovea enroll'");
    app->add_option("-k", flags->candidates, "Nearest subjects that are written; 1 = the identity alone")
        ->check(CLI::Range(1, 1000000))
        ->type_name("K")
        ->capture_default_str()
        ->group("Gallery");
    add_gallery_threshold_flags(*app, flags->threshold, "Gallery");
    app->add_flag("--leave-one-out", flags->leave_one_out,
                  "An image is not compared with faces of itself (same dataset and name) in the gallery")
        ->group("Advanced");
    app->add_option("--out,-o", flags->out, "Results file; '-' is standard output (default)")
        ->type_name("FILE")
        ->group("Output");
    app->add_option(
           "--scores", flags->scores,
           "All distances as a CSV matrix: a row for every image, a column for every one of the gallery")
        ->type_name("FILE")
        ->group("Output");
    add_overwrite_flag(*app, flags->overwrite, "a file");
    auto output = add_output_flags(*app);
    return {app, output, [flags](Console& console) { return identify(*flags, console); }};
}

}  // namespace fovea
