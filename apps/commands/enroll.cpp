
#include <CLI/CLI.hpp>
#include <spdlog/fmt/fmt.h>
#include <spdlog/spdlog.h>

#include "apps/commands/commands.hpp"
#include "apps/options/gallery_flags.hpp"
#include "apps/terminal/interrupt.hpp"
#include "apps/terminal/summary.hpp"
#include "kernels/core/stopwatch.hpp"
#include "lib/config/device_choice.hpp"
#include "lib/core/text.hpp"
#include "lib/dataset/face_names.hpp"
#include "lib/files/folder.hpp"
#include "lib/files/input_files.hpp"
#include "lib/files/staged_files.hpp"
#include "lib/job/manifest_file.hpp"
#include "lib/job/manifest_parts.hpp"
#include "lib/json/json.hpp"
#include "lib/run/recognition/enrol_dataset.hpp"

namespace fovea {
namespace {

constexpr const char* enroll_footer = R"(Examples:
  fovea enroll folder:people/ --gallery people.fvg
  fovea enroll ann/ --gallery people.fvg --subject 'Ann Lee'
  fovea enroll xmp:photos/ --gallery family.fvg

Appends every face to the gallery and makes the gallery if there is none. The subject comes from the
dataset (for instance from the names of sub-folders) or from --subject. Faces that a dataset names, as
xmp: does by the names of a photo manager, are enrolled each by its name. A gallery belongs to one
recogniser, which --recogniser names when the gallery is made.

The program counts faces that the gallery already holds (same dataset, image and box) and does not
enroll them twice. To continue after an interruption, repeat the command: finished images are not read
again. No crash can spoil a gallery; other damage is an error that names the place. An image without a
face is a failure to enroll: the manifest NAME.run.json beside the gallery names it, and the exit code
is 3.)";

struct EnrollFlags {
    GalleryJobFlags job;
    std::optional<std::string> recogniser;
    std::optional<std::string> subject;
};

// The recogniser that --recogniser names, or that of a new gallery; nothing if the gallery alone says it.
std::optional<RecogniserConfig> named_recogniser(const EnrollFlags& flags) {
    if (is_there(flags.job.gallery) && !flags.recogniser) return std::nullopt;
    return load_recogniser(flags.recogniser.value_or(default_recogniser));
}

// The gallery as it is, or a new one.
GalleryWriter open_gallery(const EnrollFlags& flags, const std::optional<RecogniserConfig>& named) {
    const std::filesystem::path file = flags.job.gallery;
    if (!named) return GalleryWriter(file);
    if (!is_there(file)) make_parent_folder(file);
    GalleryWriter gallery(file, *named);
    if (recogniser_config_to_json(gallery.info().recogniser) != recogniser_config_to_json(*named)) {
        spdlog::warn(
            "the gallery keeps the distance and weights that it was made with; those of --recogniser differ");
    }
    return gallery;
}

Json manifest_of(const EnrollFlags& flags, const Dataset& dataset, const LoadedFaceFinder& finder,
                 const Recogniser& recogniser, const EnrolDatasetResult& outcome, double seconds) {
    ManifestRecord record =
        gallery_job_manifest("enroll", flags.job, dataset, finder, recogniser, outcome.failures, seconds);
    record.interrupted = outcome.interrupted;
    if (flags.subject) record.configuration["subject"] = *flags.subject;
    record.own["feature_fingerprint"] = feature_fingerprint(recogniser.config());
    record.own["gallery"] = std::filesystem::path(flags.job.gallery).filename().string();
    record.counts = {{"images", outcome.images},
                     {"faces", outcome.faces},
                     {"already_there", outcome.faces_already_there},
                     {"unknown_subject", outcome.unknown},
                     {"at_fallback_eyes", outcome.fallbacks},
                     {"pages_left_out", outcome.pages_left_out},
                     {"failures", outcome.failures.size()}};
    return manifest_json(record);
}

void warn(const EnrolDatasetResult& outcome, const Dataset& dataset, const FaceFinderConfig& finder) {
    warn_failures(outcome.failures, dataset, finder);
    warn_pages_left_out(outcome.pages_left_out);
    if (outcome.unknown > 0) {
        spdlog::warn("{} enrolled without a subject: the dataset names none; --subject can",
                     counted(outcome.unknown, "face was", "faces were"));
    }
    if (outcome.fallbacks > 0) {
        spdlog::warn("in {} of {} no face was found: the fall-back eyes were taken", outcome.fallbacks,
                     counted(outcome.faces, "image"));
    }
}

void show(const EnrollFlags& flags, const EnrolDatasetResult& outcome, const GalleryInfo& gallery,
          const Json& manifest, const std::filesystem::path& manifest_file, ExitCode code,
          const Console& console) {
    std::string text = format_table(
        {{"gallery", "images", "enrolled", "already there", "failures", "faces in all", "subjects"},
         {flags.job.gallery, std::to_string(outcome.images), std::to_string(outcome.faces),
          std::to_string(outcome.faces_already_there), std::to_string(outcome.failures.size()),
          std::to_string(gallery.faces), std::to_string(gallery.subjects)}});
    if (outcome.interrupted) text += "interrupted; repeat the command to go on\n";
    console.print_summary(text);

    Json json;
    json["command"] = "enroll";
    json["exit_code"] = static_cast<int>(code);
    json["gallery"] = flags.job.gallery;
    json["manifest"] = manifest_file.string();
    json["device"] = manifest["device"];
    json["interrupted"] = outcome.interrupted;
    json.update(manifest["counts"]);
    json["failed"] = manifest["failures"];
    json["faces_in_all"] = gallery.faces;
    json["subjects"] = gallery.subjects;
    json["seconds"] = manifest["timings"]["total_seconds"];
    console.print_json(json);
}

/// True if faces are taken by the names that the dataset gives them.
bool takes_named_faces(const EnrollFlags& flags, const FaceFinderConfig& finder, const Dataset& dataset) {
    return !flags.subject && !flags.job.all_faces && finder.source != FaceSource::image &&
           std::any_of(dataset.samples.begin(), dataset.samples.end(), names_faces);
}

ExitCode enroll(const EnrollFlags& flags, Console& console) {
    const Stopwatch watch;
    FaceFinderConfig finder_config = face_finder_config(flags.job);
    if (flags.subject && flags.subject->empty()) throw UsageError("--subject names nobody");
    console.stage("reading the list of images");
    Dataset dataset = read_job_dataset(flags.job);
    if (takes_named_faces(flags, finder_config, dataset)) {
        finder_config.choice = FaceChoice::named;
        const std::size_t nameless =
            std::erase_if(dataset.samples, [](const Sample& sample) { return !names_faces(sample); });
        if (nameless > 0) {
            spdlog::warn("{} without a named face {} left out; --all-faces takes unnamed faces, too",
                         counted(nameless, "image"), nameless == 1 ? "is" : "are");
        }
    }
    const std::filesystem::path manifest_file = manifest_path(flags.job.gallery);
    const DetectionDevice device = open_detection_device(flags.job.device.value_or("auto"));
    const LoadedFaceFinder finder(finder_config, device);
    InputFiles inputs;
    add_inputs(dataset, inputs);
    finder.add_inputs(inputs);
    if (flags.recogniser) inputs.add(find_recogniser(*flags.recogniser));
    inputs.refuse_clashes(
        std::vector<PlannedOutput>{{flags.job.gallery, "gallery"}, {manifest_file, "manifest"}});
    const std::optional<RecogniserConfig> named = named_recogniser(flags);
    std::unique_ptr<Recogniser> recogniser;
    // Before the gallery is made: one whose network is missing or broken leaves none behind.
    if (named && !is_there(flags.job.gallery)) recogniser = std::make_unique<Recogniser>(*named, device);
    GalleryWriter gallery = open_gallery(flags, named);
    if (gallery.info().torn_bytes > 0) {
        spdlog::warn("the last {} of the gallery are of an enrolment that was cut off; they are overwritten",
                     counted(gallery.info().torn_bytes, "byte"));
    }
    if (!recogniser) {
        RecogniserConfig known = gallery.info().recogniser;
        // A gallery does not hold the folder of a network.
        if (named) known.network.folder = named->network.folder;
        recogniser = std::make_unique<Recogniser>(std::move(known), device);
    }

    tell_why_no_gpu(device);
    const InterruptGuard interrupt;
    console.stage("enrolling");
    const EnrolmentOptions options{.threads = flags.job.threads.value_or(0),
                                   .hooks = job_hooks(console, interrupt)};
    const EnrolDatasetResult outcome =
        enrol_dataset(dataset, finder, *recogniser, flags.subject, options, gallery);
    console.clear_progress();
    warn(outcome, dataset, finder_config);
    const double seconds = watch.seconds();
    const Json manifest = manifest_of(flags, dataset, finder, *recogniser, outcome, seconds);
    write_json_file(manifest_file, manifest);
    const ExitCode code =
        exit_code_of(flags.job, dataset, outcome.failures, outcome.pages_left_out, outcome.interrupted);
    show(flags, outcome, gallery.info(), manifest, manifest_file, code, console);
    return code;
}

}  // namespace

Command add_enroll_command(CLI::App& program) {
    CLI::App* app = program.add_subcommand("enroll", "Append the faces of images to a gallery");
    auto flags = std::make_shared<EnrollFlags>();
    app->footer(enroll_footer);
    add_gallery_job_flags(*app, flags->job, "Gallery file; made if it is not there");
    app->add_option(
           "--recogniser", flags->recogniser,
           fmt::format("Recogniser of a new gallery: a name (default: {}) or a file", default_recogniser))
        ->type_name("RECOGNISER")
        ->group("Gallery");
    app->add_option("--subject", flags->subject, "Subject of all faces (default: as the dataset says)")
        ->type_name("NAME")
        ->group("Gallery");
    auto output = add_output_flags(*app);
    return {app, output, [flags](Console& console) { return enroll(*flags, console); }};
}

}  // namespace fovea
