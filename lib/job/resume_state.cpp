#include "lib/job/resume_state.hpp"

#include <algorithm>
#include <utility>

#include "lib/core/error.hpp"
#include "lib/files/block_reader.hpp"
#include "lib/files/file.hpp"
#include "lib/files/folder.hpp"
#include "lib/files/packed.hpp"
#include "lib/files/sha256.hpp"
#include "lib/job/compare_manifests.hpp"
#include "lib/job/earlier_crops.hpp"
#include "lib/json/json_member.hpp"

namespace fovea {
namespace {

namespace fs = std::filesystem;

// The checksum that a manifest has of the results of a task; null if it has none.
const Json& results_sha256(const Json& manifest, std::size_t task) {
    const Json& detectors = member_of(manifest, "detectors");
    const bool is_detector = detectors.is_array() && task < detectors.size();
    return member_of(is_detector ? detectors[task] : member_of(manifest, "truth_boxes"), "results_sha256");
}

/// Length and checksums of a complete output.
struct Digest {
    std::string sha256;  ///< of the whole file
    FileExtent records;  ///< without the header
};

Digest digest_of(const JournalOutput& output) {
    Sha256 sha256;
    Digest digest;
    std::uint64_t header = output.header_bytes;
    for_each_block(output.file, 0, [&](std::string_view bytes) {
        sha256.add(bytes);
        const std::size_t skipped = std::min<std::uint64_t>(header, bytes.size());
        header -= skipped;
        bytes.remove_prefix(skipped);
        digest.records.bytes += bytes.size();
        digest.records.crc32 = crc32_of(bytes, digest.records.crc32);
    });
    digest.sha256 = sha256.text();
    return digest;
}

bool is_true(const Json& json) {
    return json.is_boolean() && json.get<bool>();
}

/// A job that is complete: it has no journal any more.
struct CompleteJob {
    Json manifest;
    std::vector<FileExtent> extents;  ///< of its outputs
};

// Nothing if the files are not those of a complete job. Reads each output once.
std::optional<CompleteJob> complete_job(const EarlierFiles& files) {
    if (!is_file(files.manifest)) return std::nullopt;
    CompleteJob job{read_manifest(files.manifest), {}};
    if (!is_true(member_of(job.manifest, "complete")) || member_of(job.manifest, "configuration").is_null() ||
        member_of(member_of(job.manifest, "work"), "description").is_null() ||
        !member_of(member_of(job.manifest, "counts"), "images").is_number_unsigned()) {
        return std::nullopt;
    }
    for (const EarlierOutput& earlier : files.outputs) {
        if (!is_file(earlier.output.file)) return std::nullopt;
        Digest digest = digest_of(earlier.output);
        if (earlier.sha256(job.manifest) != digest.sha256) return std::nullopt;
        job.extents.push_back(digest.records);
    }
    return job;
}

Json work_in(const Json& manifest) {
    return {{"work", member_of(member_of(manifest, "work"), "description")},
            {"shard", member_of(member_of(manifest, "work"), "shard")}};
}

}  // namespace

EarlierFiles EarlierFiles::of(const DetectionFiles& files) {
    EarlierFiles earlier{files.results.at(0), journal_path(files.results.at(0)), files.manifest, {}};
    for (std::size_t task = 0; task < files.results.size(); ++task) {
        const auto sha256 = [task](const Json& manifest) -> const Json& {
            return results_sha256(manifest, task);
        };
        earlier.outputs.push_back({{files.results[task], 0}, sha256});
    }
    if (files.features.empty()) return earlier;
    const auto sha256 = [](const Json& manifest) -> const Json& {
        return member_of(member_of(manifest, "features"), "sha256");
    };
    earlier.outputs.push_back({{files.features, FeatureFile::header_bytes}, sha256});
    return earlier;
}

std::optional<FinishedJob> find_finished_job(const EarlierFiles& files) {
    const std::optional<CompleteJob> complete = complete_job(files);
    if (!complete) return std::nullopt;
    return FinishedJob{work_in(complete->manifest), crops_folder_of(complete->manifest, files.manifest)};
}

std::optional<ResumeState> find_resume_state(const EarlierFiles& files, ExistingResults wanted) {
    const auto& [results, journal, manifest_file, earlier_outputs, has_marks] = files;
    const bool is_unfinished = !journal.empty() && is_there(journal);
    if (wanted == ExistingResults::replace_own && is_unfinished) {
        throw UsageError(results.string() + " holds results of an interrupted job (" +
                         journal.filename().string() +
                         " lies beside it); continue it with --resume, or start again with --overwrite");
    }
    if (wanted != ExistingResults::resume) return std::nullopt;
    if (journal.empty()) {
        throw UsageError("--resume needs results in a file, which can be gone on with; name one with --out");
    }
    std::vector<JournalOutput> outputs;
    if (has_marks) {
        for (const EarlierOutput& earlier : earlier_outputs) outputs.push_back(earlier.output);
    }
    if (std::optional<ResumeState> recovered = recover_job(journal, outputs)) return recovered;
    if (!is_there(results) || fs::file_size(results) == 0) return std::nullopt;
    std::optional<CompleteJob> complete = complete_job(files);
    if (!complete) {
        throw UsageError("cannot go on with " + results.string() +
                         ": no journal lies beside it, so it is not what an interrupted job has left; start "
                         "anew with --overwrite, or name another file with --out");
    }
    const Json& manifest = complete->manifest;
    ResumeState earlier;
    earlier.description = work_in(manifest);
    earlier.description["request"] = member_of(manifest["configuration"], "dataset");
    earlier.mark.images = manifest["counts"]["images"].get<std::size_t>();
    earlier.mark.outputs = std::move(complete->extents);
    return earlier;
}

void check_is_same_job(const JobImages& images, const Json& description, const fs::path& results) {
    if (!images.earlier) return;
    const auto fail = [&](const std::string& why) {
        throw UsageError("cannot go on with " + results.string() + ": it holds results of " + why +
                         "; give the same images and options as before, or start again with --overwrite");
    };
    const std::string difference = first_difference_in_work(description, images.earlier->description);
    if (!difference.empty()) fail("other work (" + difference + ")");
    const std::size_t done = images.earlier->mark.images;
    if (done > images.images.size()) fail("more images (" + std::to_string(done) + ")");
}

void refuse_finished_results(const fs::path& there, const std::string& difference, const std::string& flag) {
    throw UsageError("'" + there.string() + "' is there already" +
                     (difference.empty() ? "" : ", by other work (" + difference + ")") +
                     "; name another with " + flag + ", or replace it with --overwrite");
}

}  // namespace fovea
