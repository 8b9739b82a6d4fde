#include <fstream>

#include <spdlog/spdlog.h>
#include <zlib.h>

#include "lib/core/error.hpp"
#include "lib/core/file.hpp"
#include "lib/core/sha256.hpp"
#include "lib/core/text.hpp"
#include "lib/pipeline/detection_job.hpp"
#include "lib/pipeline/work_description.hpp"

namespace fovea {
namespace {

namespace fs = std::filesystem;

std::vector<JournalOutput> outputs_of(const DetectionFiles& files) {
    std::vector<JournalOutput> outputs;
    for (const fs::path& file : files.results) outputs.push_back({file, 0});
    if (!files.features.empty()) outputs.push_back({files.features, FeatureFile::header_bytes});
    return outputs;
}

FileExtent extent_of(const JournalOutput& output) {
    std::ifstream stream(output.file, std::ios::binary);
    stream.seekg(static_cast<std::streamoff>(output.header_bytes));
    std::vector<char> block(std::size_t{1} << 20);
    FileExtent extent;
    while (stream.read(block.data(), static_cast<std::streamsize>(block.size())) || stream.gcount() > 0) {
        const auto count = static_cast<std::size_t>(stream.gcount());
        extent.bytes += count;
        extent.crc32 = static_cast<std::uint32_t>(
            ::crc32(extent.crc32, reinterpret_cast<const Bytef*>(block.data()), static_cast<uInt>(count)));
    }
    return extent;
}

// A job that is complete has no journal any more, but a manifest. Null if this is no such job.
Json complete_manifest(const DetectionFiles& files) {
    std::error_code error;
    if (!fs::is_regular_file(files.manifest, error)) return nullptr;
    Json manifest = Json::parse(read_file(files.manifest), nullptr, false);
    if (!manifest.is_object() || !manifest.value("complete", false) || !manifest.contains("work") ||
        !manifest["work"].contains("description") || !manifest.contains("configuration")) {
        return nullptr;
    }
    const auto holds = [](const Json& entry, const char* key, const fs::path& file) {
        return entry.is_object() && entry.value(key, std::string()) == sha256_of_file(file);
    };
    for (std::size_t i = 0; i < files.results.size(); ++i) {
        const Json& detectors = manifest["detectors"];
        const Json& entry = i < detectors.size() ? detectors[i] : manifest["truth_boxes"];
        if (!fs::is_regular_file(files.results[i], error) ||
            !holds(entry, "results_sha256", files.results[i])) {
            return nullptr;
        }
    }
    if (!files.features.empty() && (!fs::is_regular_file(files.features, error) ||
                                    !holds(manifest["features"], "sha256", files.features))) {
        return nullptr;
    }
    return manifest;
}

/// What an earlier job left, if it is to be gone on with: of its images, if they are in the journal.
struct Earlier {
    Json description;
    std::optional<ImageList> images;
    JournalMark mark;
};

std::optional<Earlier> earlier_job(const DetectionFiles& files, EarlierWork wanted) {
    const fs::path& results = files.results.at(0);
    const fs::path journal = journal_path(results);
    std::error_code error;
    const bool is_unfinished = !journal.empty() && fs::exists(journal, error);
    if (wanted == EarlierWork::replace_complete && is_unfinished) {
        throw UsageError(results.string() + " holds results of an interrupted job (" +
                         journal.filename().string() +
                         " lies beside it); go on with it by --resume, or start anew with --overwrite");
    }
    if (wanted != EarlierWork::resume) return std::nullopt;
    if (journal.empty()) {
        throw UsageError("--resume needs results in a file, which can be gone on with; name one with --out");
    }
    const std::vector<JournalOutput> outputs = outputs_of(files);
    if (std::optional<RecoveredJob> recovered = recover_job(journal, outputs)) {
        return Earlier{std::move(recovered->work), std::move(recovered->images), std::move(recovered->mark)};
    }
    if (!fs::exists(results, error) || fs::file_size(results, error) == 0) return std::nullopt;
    const Json manifest = complete_manifest(files);
    if (manifest.is_null()) {
        throw UsageError("cannot go on with " + results.string() +
                         ": no journal lies beside it, so it is not what an interrupted job has left; start "
                         "anew with --overwrite, or name another file with --out");
    }
    Earlier earlier;
    earlier.description = {{"work", manifest["work"]["description"]},
                           {"request", manifest["configuration"]["dataset"]},
                           {"shard", manifest["work"].value("shard", Json())}};
    earlier.mark.images = manifest["counts"].value("images", std::size_t{0});
    for (const JournalOutput& output : outputs) earlier.mark.outputs.push_back(extent_of(output));
    return earlier;
}

void warn_skipped(const ImageList& images) {
    if (images.skipped().empty()) return;
    constexpr std::size_t shown = 3;
    std::string names;
    for (std::size_t i = 0; i < images.skipped().size() && i < shown; ++i) {
        const SkippedInput& skipped = images.skipped()[i];
        names += (i > 0 ? "; " : "") + excerpt(skipped.name, 200) + " (" + excerpt(skipped.reason, 400) + ")";
    }
    if (images.skipped().size() > shown) {
        names += "; and " + std::to_string(images.skipped().size() - shown) + " more";
    }
    spdlog::warn("{} left out: {}", counted(images.skipped().size(), "input"), names);
}

}  // namespace

JobImages JobImages::of(Dataset dataset) {
    JobImages job;
    job.images = ImageList::of(dataset);
    job.dataset = std::move(dataset);
    return job;
}

JobImages read_job_images(const DatasetConfig& config, const DetectionFiles& files, EarlierWork wanted,
                          const std::optional<Shard>& shard) {
    if (config.path.empty() && config.files.empty()) {
        throw UsageError(
            "no images were given: name a folder, an archive, a list or a dataset (FORMAT:PATH), or set "
            "'dataset.path' in the configuration");
    }
    std::optional<Earlier> earlier = earlier_job(files, wanted);
    JobImages job;
    const bool has_list = earlier && earlier->images;
    if (has_list) job.images = std::move(*earlier->images);
    if (!config.files.empty() || names_plain_images(config.path)) {
        if (!has_list) {
            job.images =
                read_image_list({config.path, config.files, {config.pattern, config.limit, config.root}});
        }
    } else {
        Dataset dataset = read_configured_dataset(config);
        ImageList listed = ImageList::of(dataset);
        if (has_list && listed.names_sha256() != job.images.names_sha256()) {
            throw UsageError("cannot go on with " + files.results.at(0).string() + ": the images of '" +
                             dataset.name + "' are others than before; start anew with --overwrite");
        }
        if (!has_list) job.images = std::move(listed);
        job.dataset = std::move(dataset);
    }
    if (shard && !has_list) {
        job.images = job.images.part(
            [&](std::string_view name) { return shard_of(name, shard->count) == shard->index; });
    }
    job.shard = shard;
    if (earlier) job.earlier = RecoveredJob{std::move(earlier->description), {}, std::move(earlier->mark)};
    warn_skipped(job.images);
    return job;
}

}  // namespace fovea
