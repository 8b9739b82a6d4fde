#include "lib/job/job_images.hpp"

#include <spdlog/spdlog.h>

#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/dataset/formats/read_dataset.hpp"
#include "lib/job/memory_plan.hpp"

namespace fovea {
namespace {

int shard_of_image(const ImageList& images, std::size_t i, int count) {
    const std::optional<VideoFrame> frame = images.frame(i);
    if (!frame) return shard_of(images.name(i), count);
    return shard_of_frame(images.video_name(i), part_of_frame(*frame->video, frame->number), count);
}

DatasetOptions dataset_options(const DatasetConfig& config) {
    return {config.pattern, config.limit, config.root, frame_selection(config)};
}

}  // namespace

void warn_skipped(const std::vector<SkippedInput>& skipped) {
    if (skipped.empty()) return;
    constexpr std::size_t shown = 3;
    std::string names;
    const std::size_t files = files_of(skipped);
    std::size_t unnamed = files;
    for (std::size_t i = 0; i < skipped.size() && i < shown; ++i) {
        unnamed -= skipped[i].files;
        names += (i > 0 ? "; " : "") + excerpt(skipped[i].name, 200) + " (" +
                 excerpt(skipped[i].reason, 400) + ")";
    }
    if (unnamed > 0) names += "; and " + std::to_string(unnamed) + " more";
    spdlog::warn("{} left out: {}", counted(files, "input"), names);
}

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

ImageListRequest image_list_request(const RunConfig& config) {
    if (config.dataset.path.empty() && config.dataset.files.empty()) {
        throw UsageError(
            "no images were given: name a folder, an archive, a list or a dataset (FORMAT:PATH), or set "
            "'dataset.path' in the configuration");
    }
    return {config.dataset.path, config.dataset.files, dataset_options(config.dataset),
            unpacker_bytes(usable_megabytes(config)), config.dataset.may_run_commands};
}

JobImages read_job_images(const RunConfig& config, std::optional<ResumeState> earlier,
                          const std::filesystem::path& results, const std::optional<Shard>& shard) {
    const ImageListRequest request = image_list_request(config);
    if (earlier && earlier->denied_images > earlier->mark.images) {
        spdlog::warn(
            "the journal says that {} are done, and {} bears out {} of them: the others are done again",
            counted(earlier->denied_images, "image"), results.string(), earlier->mark.images);
    }
    JobImages job;
    const bool has_list = earlier && earlier->images;
    bool is_part_of_list_file = false;
    if (has_list) job.images = std::move(*earlier->images);
    if (!config.dataset.files.empty() || is_unannotated(config.dataset.path)) {
        if (!has_list) {
            // A list file knows its parts; those of other images follow from their names.
            is_part_of_list_file = shard && config.dataset.files.empty() && is_list_file(config.dataset.path);
            job.images = is_part_of_list_file ? read_list_part(request, *shard) : read_image_list(request);
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
    if (shard && !has_list && !is_part_of_list_file) {
        job.images = job.images.part(
            [&](std::size_t i) { return shard_of_image(job.images, i, shard->count) == shard->index; });
    }
    job.shard = shard;
    if (earlier) {
        earlier->images.reset();
        job.earlier = std::move(earlier);
    }
    warn_skipped(job.images.skipped());
    return job;
}

}  // namespace fovea
