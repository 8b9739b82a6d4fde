#include "apps/options/gallery_flags.hpp"

#include <algorithm>

#include <CLI/CLI.hpp>
#include <spdlog/spdlog.h>

#include "apps/options/max_unreadable.hpp"
#include "lib/core/text.hpp"
#include "lib/core/threads.hpp"
#include "lib/job/detection_job.hpp"
#include "lib/json/json.hpp"

namespace fovea {

void add_gallery_job_flags(CLI::App& app, GalleryJobFlags& flags, const std::string& gallery) {
    app.add_option("DATASET", flags.dataset,
                   "A folder, list or dataset (FORMAT:PATH), an image, or '-' for a list on standard input")
        ->type_name("")
        ->required();
    app.add_option("--gallery,-g", flags.gallery, gallery)
        ->type_name("GALLERY")
        ->required()
        ->group("Gallery");
    add_dataset_flags(app, flags.images);
    add_face_finder_flags(app, flags.finder);
    app.add_flag("--all-faces", flags.all_faces,
                 "Every face of an image; without it the one nearest to the image's centre")
        ->group("Faces");
    add_max_unreadable_flag(app, flags.max_unreadable, "Images");
    add_device_flag(app, flags.device);
    add_threads_flag(app, flags.threads);
}

Dataset read_job_dataset(const GalleryJobFlags& flags) {
    DatasetConfig config;
    config.path = flags.dataset;
    flags.images.apply(config, FlagPaths::as_they_are);
    return read_configured_dataset(config);
}

FaceFinderConfig face_finder_config(const GalleryJobFlags& flags) {
    FaceFinderConfig config;
    apply(flags.finder, config);
    if (flags.all_faces) config.choice = FaceChoice::all;
    const bool detects = config.source == FaceSource::automatic || config.source == FaceSource::detector;
    if (detects) return config;
    for (const auto& [flag, given] : {std::pair{"--model", flags.finder.has("detector")},
                                      std::pair{"--landmarks", flags.finder.has("landmarks")},
                                      std::pair{"--box-convention", flags.finder.has("convention")}}) {
        if (given) {
            throw UsageError(std::string(flag) + " is for faces that are detected, but with --faces " +
                             to_string(config.source) + " none are; leave it out");
        }
    }
    return config;
}

ExitCode exit_code_of(const GalleryJobFlags& flags, const Dataset& dataset,
                      const std::vector<FaceFailure>& failures, std::size_t pages_left_out,
                      bool is_interrupted) {
    const std::size_t unreadable = unreadable_of(failures);
    const std::size_t lost_files = dataset.passed_over.lost_files();
    const LostInputs lost{unreadable + pages_left_out + lost_files,
                          dataset.samples.size() + pages_left_out + lost_files, failures.size() - unreadable};
    return exit_code_of_job(is_interrupted, lost, flags.max_unreadable);
}

void warn_failures(const std::vector<FaceFailure>& failures, const Dataset& dataset,
                   const FaceFinderConfig& finder) {
    constexpr std::size_t most = 20;
    for (std::size_t i = 0; i < failures.size() && i < most; ++i) {
        // Names come from archives and lists: none may reach the terminal with its control characters.
        spdlog::warn("{}: {}", excerpt(dataset.samples[failures[i].sample].image, 200),
                     excerpt(failures[i].reason, 400));
    }
    if (failures.size() > most) {
        spdlog::warn("and {} more without a face; the manifest and --json name them all",
                     failures.size() - most);
    }
    const bool is_undetected =
        std::ranges::any_of(failures, [](const FaceFailure& failure) { return failure.undetected; });
    if (is_undetected && finder.detector == shipped_cascade) {
        spdlog::warn(
            "'{}' finds upright faces that look into the camera; --model {} finds faces in all poses",
            shipped_cascade, default_model);
    }
}

ManifestRecord gallery_job_manifest(const std::string& command, const GalleryJobFlags& flags,
                                    const Dataset& dataset, const LoadedFaceFinder& finder,
                                    const Recogniser& recogniser, const std::vector<FaceFailure>& failures,
                                    double seconds) {
    ManifestRecord record{command, finder.to_json(), recogniser.device_name()};
    record.configuration["all_faces"] = flags.all_faces;
    record.dataset = dataset_to_json(dataset);
    record.own["recogniser"] = recogniser_config_to_json(recogniser.config());
    Json& list = record.losses["failures"] = Json::array();
    for (const FaceFailure& failure : failures) {
        list.push_back({{"image", dataset.samples[failure.sample].image},
                        {"reason", failure.reason},
                        {"unreadable", failure.unreadable}});
    }
    record.add_left_out(skipped_pictures(dataset.passed_over), dataset.passed_over.others());
    record.timings = {{"threads", resolve_threads(flags.threads.value_or(0))}, {"total_seconds", seconds}};
    return record;
}

}  // namespace fovea
