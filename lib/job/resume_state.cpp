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
#include "lib/job/journal/feature_file.hpp"
#include "lib/job/manifest_file.hpp"
#include "lib/json/json_member.hpp"

namespace fovea {
namespace {

namespace fs = std::filesystem;

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

bool has_digest(const Json& manifest, const std::string& sha256, const std::vector<std::string>& places) {
    for (const std::string& text : places) {
        const Json::json_pointer place(text);
        if (manifest.contains(place)) return manifest[place] == sha256;
    }
    return false;
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
    if (member_of(job.manifest, "complete") != true || member_of(job.manifest, "configuration").is_null() ||
        member_of(member_of(job.manifest, "work"), "description").is_null() ||
        !member_of(member_of(job.manifest, "counts"), "images").is_number_unsigned()) {
        return std::nullopt;
    }
    for (const EarlierOutput& earlier : files.outputs) {
        if (!is_file(earlier.output.file)) return std::nullopt;
        Digest digest = digest_of(earlier.output);
        if (!has_digest(job.manifest, digest.sha256, earlier.sha256)) return std::nullopt;
        job.extents.push_back(digest.records);
    }
    return job;
}

Json work_in(const Json& manifest) {
    return {{"work", member_of(member_of(manifest, "work"), "description")},
            {"shard", member_of(member_of(manifest, "work"), "shard")}};
}

bool holds_something(const fs::path& output) {
    if (output.empty()) return false;
    if (is_folder(output)) return !entries_of(output).empty();
    std::error_code ignored;
    return is_file(output) && fs::file_size(output, ignored) > 0;
}

/// True if two specifications, FORMAT:PATH or a path, lead to the same place: "./photos" and "photos".
bool name_same_images(const std::string& first, const std::string& second) {
    const auto path_in = [](const std::string& text) { return text.substr(text.find(':') + 1); };
    const std::string first_path = path_in(first), second_path = path_in(second);
    return first.substr(0, first.size() - first_path.size()) ==
               second.substr(0, second.size() - second_path.size()) &&
           is_same_place(first_path, second_path);
}

/// The description of a job, with the path of its images spelled as an earlier one has it.
Json spelled_as(const Json& earlier, Json description) {
    const Json& before = member_of(member_of(earlier, "request"), "path");
    const Json& now = member_of(member_of(description, "request"), "path");
    if (before.is_string() && now.is_string() &&
        name_same_images(before.get<std::string>(), now.get<std::string>()))
        description["request"]["path"] = before;
    return description;
}

void check_is_same_job(const ResumeState& earlier, std::size_t images, const Json& description,
                       const fs::path& results) {
    const auto fail = [&](const std::string& why) {
        throw UsageError("cannot go on with " + results.string() + ": it holds results of " + why +
                         "; give the same images and options as before, or start again with --overwrite");
    };
    const std::string difference =
        first_difference_in_work(spelled_as(earlier.description, description), earlier.description);
    if (!difference.empty()) fail("other work (" + difference + ")");
    const std::size_t done = earlier.mark.images;
    if (done > images) fail("more images (" + std::to_string(done) + ")");
}

}  // namespace

EarlierFiles EarlierFiles::of(const DetectionFiles& files) {
    EarlierFiles earlier{files.results.at(0), journal_path(files.results.at(0)), files.manifest, {}};
    for (std::size_t task = 0; task < files.results.size(); ++task) {
        earlier.outputs.push_back(
            {{files.results[task], 0},
             {"/detectors/" + std::to_string(task) + "/results_sha256", "/truth_boxes/results_sha256"}});
    }
    if (!files.features.empty())
        earlier.outputs.push_back({{files.features, FeatureFile::header_bytes}, {"/features/sha256"}});
    return earlier;
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
    if (!is_there(results) || size_of_file(results) == 0) return std::nullopt;
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

void check_earlier_results(const JobMaterial& job, const Json& description, const EarlierFiles& earlier,
                           const std::vector<PlannedOutput>& outputs, const fs::path& crops) {
    if (job.images.earlier)
        check_is_same_job(*job.images.earlier, job.images.images.size(), description, earlier.results);
    if (job.existing == ExistingResults::overwrite || job.images.earlier) return;
    // An interrupted job has finished nothing; find_resume_state() has refused those that can go on.
    if (!earlier.journal.empty() && is_there(earlier.journal)) return;
    const auto found = std::find_if(outputs.begin(), outputs.end(),
                                    [](const PlannedOutput& output) { return holds_something(output.file); });
    if (found == outputs.end()) return;
    PlannedOutput there = *found;
    std::string difference;
    if (const std::optional<CompleteJob> before = complete_job(earlier)) {
        const Json now{{"work", description["work"]}, {"shard", description["shard"]}};
        difference = first_difference_in_work(now, work_in(before->manifest));
        const bool are_crops_of_others =
            holds_something(crops) &&
            !is_same_place(crops_folder_of(before->manifest, earlier.manifest), crops);
        if (difference.empty() && !are_crops_of_others) return;
        if (difference.empty()) there = {crops, "--crops"};
    }
    throw UsageError("'" + there.file.string() + "' is there already" +
                     (difference.empty() ? "" : ", by other work (" + difference + ")") +
                     "; name another with " + there.what + ", or replace it with --overwrite");
}

}  // namespace fovea
