#include "lib/job/job_images.hpp"

#include <spdlog/spdlog.h>

#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/dataset/formats/read_dataset.hpp"
#include "lib/job/memory_plan.hpp"

namespace fovea {
namespace {

void warn_skipped(const ImageList& images) {
    if (images.skipped().empty()) return;
    constexpr std::size_t shown = 3;
    std::string names;
    std::size_t unnamed = images.skipped_files();
    for (std::size_t i = 0; i < images.skipped().size() && i < shown; ++i) {
        const SkippedInput& skipped = images.skipped()[i];
        unnamed -= skipped.files;
        names += (i > 0 ? "; " : "") + excerpt(skipped.name, 200) + " (" + excerpt(skipped.reason, 400) + ")";
    }
    if (unnamed > 0) names += "; and " + std::to_string(unnamed) + " more";
    spdlog::warn("{} left out: {}", counted(images.skipped_files(), "input"), names);
}

int shard_of_image(const ImageList& images, std::size_t i, int count) {
    const std::optional<VideoFrame> frame = images.frame(i);
    if (!frame) return shard_of(images.name(i), count);
    return shard_of_frame(images.video_name(i), part_of_frame(*frame->video, frame->number), count);
}

DatasetOptions dataset_options(const DatasetConfig& config) {
    return {config.pattern, config.limit, config.root, frame_selection(config)};
}

}  // namespace

Dataset read_configured_dataset(const DatasetConfig& config, const ImageConfig& image) {
    if (config.path.empty() && config.files.empty()) {
        throw UsageError(
            "no images were given: name a folder, a list or a dataset (FORMAT:PATH), or set 'dataset.path' "
            "in the configuration");
    }
    DatasetOptions options = dataset_options(config);
    options.is_as_displayed = image.apply_exif_orientation;
    Dataset dataset =
        config.path.empty() ? dataset_of_files(config.files, options) : read_dataset(config.path, options);
    for (const std::string& warning : dataset.warnings) spdlog::warn("{}", warning);
    for (const std::string& sentence : dataset.passed_over.sentences()) spdlog::warn("{}", sentence);
    return dataset;
}

JobImages JobImages::of(Dataset dataset) {
    JobImages job;
    job.images = ImageList::of(dataset);
    job.dataset = std::move(dataset);
    return job;
}

JobImages read_job_images(const RunConfig& config, std::optional<ResumeState> earlier,
                          const std::filesystem::path& results, const std::optional<Shard>& shard) {
    if (config.dataset.path.empty() && config.dataset.files.empty()) {
        throw UsageError(
            "no images were given: name a folder, an archive, a list or a dataset (FORMAT:PATH), or set "
            "'dataset.path' in the configuration");
    }
    if (earlier && earlier->denied_images > earlier->mark.images) {
        spdlog::warn(
            "the journal says that {} are done, and {} bears out {} of them: the others are done again",
            counted(earlier->denied_images, "image"), results.string(), earlier->mark.images);
    }
    JobImages job;
    const bool has_list = earlier && earlier->images;
    if (has_list) job.images = std::move(*earlier->images);
    if (!config.dataset.files.empty() || is_unannotated(config.dataset.path)) {
        if (!has_list) {
            job.images =
                read_image_list({config.dataset.path, config.dataset.files, dataset_options(config.dataset),
                                 unpacker_bytes(usable_megabytes(config))});
        }
        for (const std::string& warning : job.images.warnings()) spdlog::warn("{}", warning);
    } else {
        Dataset dataset = read_configured_dataset(config.dataset, config.image);
        ImageList listed = ImageList::of(dataset);
        if (has_list && listed.names_sha256() != job.images.names_sha256()) {
            throw UsageError("cannot go on with " + results.string() + ": the images of '" + dataset.name +
                             "' are others than before; start again with --overwrite");
        }
        if (!has_list) job.images = std::move(listed);
        job.dataset = std::move(dataset);
    }
    if (shard && !has_list) {
        job.images = job.images.part(
            [&](std::size_t i) { return shard_of_image(job.images, i, shard->count) == shard->index; });
    }
    job.shard = shard;
    if (earlier) job.earlier = ResumeState{std::move(earlier->description), {}, std::move(earlier->mark)};
    warn_skipped(job.images);
    return job;
}

}  // namespace fovea
