#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "lib/files/file.hpp"
#include "lib/files/packed.hpp"
#include "lib/files/sha256.hpp"
#include "lib/job/compare_manifests.hpp"
#include "lib/job/journal/feature_file.hpp"
#include "lib/job/journal/journal.hpp"
#include "lib/job/journal/journal_bytes.hpp"
#include "lib/job/merge/merge_shards.hpp"
#include "lib/job/resume_state.hpp"
#include "lib/json/json.hpp"
#include "lib/results/tally.hpp"
#include "tests/fuzz/checks.hpp"
#include "tests/fuzz/files.hpp"
#include "tests/fuzz/targets.hpp"

namespace fovea::fuzz {
namespace {

namespace fs = std::filesystem;

// --- journals --------------------------------------------------------------------------------------

constexpr std::size_t prefix_bytes = 32;
constexpr std::size_t checksum_bytes = 4;

/// Makes the checksum right that stands at `end` for the bytes from `begin` on; nothing if the bytes end
/// before.
std::optional<std::uint32_t> repair(std::string& bytes, std::size_t begin, std::uint64_t length,
                                    std::uint32_t before = 0) {
    if (bytes.size() < begin + checksum_bytes || bytes.size() - begin - checksum_bytes < length)
        return std::nullopt;
    const std::uint32_t sum = crc32_of(std::string_view(bytes).substr(begin, length), before);
    std::string stored;
    append_number(stored, sum, checksum_bytes);
    bytes.replace(begin + length, checksum_bytes, stored);
    return sum;
}

/// A mark's words on an output, at `at`, made true if the output has as many bytes.
void repair_extent(std::string& bytes, std::size_t at, std::string_view output) {
    const std::uint64_t length = number_at(bytes, at, 8);
    if (length > output.size()) return;
    std::string stored;
    append_number(stored, crc32_of(output.substr(0, length)), checksum_bytes);
    bytes.replace(at + 8, checksum_bytes, stored);
}

/// The journal with all checksums that it has room for made right. \param outputs without their headers
std::string with_right_checksums(std::string bytes, std::span<const std::string_view> outputs) {
    if (!repair(bytes, 0, prefix_bytes - checksum_bytes)) return bytes;
    const std::uint64_t work_bytes = number_at(bytes, 12, 8), images_bytes = number_at(bytes, 20, 8);
    if (!repair(bytes, prefix_bytes, work_bytes)) return bytes;
    const std::size_t images_at = prefix_bytes + work_bytes + checksum_bytes;
    const auto seed = repair(bytes, images_at, images_bytes);
    if (!seed) return bytes;
    const std::size_t mark_bytes = journal_detail::mark_length(outputs.size()) - checksum_bytes;
    for (std::size_t at = images_at + images_bytes + checksum_bytes; at + mark_bytes <= bytes.size();
         at += mark_bytes + checksum_bytes) {
        for (std::size_t i = 0; i < outputs.size(); ++i)
            repair_extent(bytes, at + journal_detail::mark_outputs_at + 12 * i, outputs[i]);
        repair(bytes, at, mark_bytes, *seed);
    }
    return bytes;
}

// --- parts -----------------------------------------------------------------------------------------

/// The manifest with the right SHA-256 where it has one of its results and features.
std::string with_right_sha256(std::string_view manifest, std::string_view results,
                              std::string_view features) {
    Json json = Json::parse(manifest, nullptr, false);
    const auto set = [&](const char* pointer, std::string_view bytes) {
        const Json::json_pointer place(pointer);
        if (json.contains(place)) json[place] = sha256_of(bytes);
    };
    set("/detectors/0/results_sha256", results);
    set("/truth_boxes/results_sha256", results);
    set("/features/sha256", features);
    return json.is_discarded() ? std::string(manifest)
                               : json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

/// A journal, results and, where there are some, features, gone on with as `fovea detect --resume` does. The
/// journal is as it is where its last byte is odd, else it has right checksums.
void recover_job_target(std::string_view input) {
    constexpr std::size_t bins = 2;
    const auto parts = parts_of(input, 3);
    const bool has_features = !parts[2].empty();
    const std::array contents{parts[1],
                              parts[2].substr(std::min(parts[2].size(), FeatureFile::header_bytes))};
    const bool as_it_is = parts[0].empty() || (parts[0].back() & 1) != 0;
    const std::span outputs_there = std::span(contents).first(has_features ? 2 : 1);
    const fs::path journal_file = write_input(
        "job/r.jsonl.journal",
        as_it_is ? std::string(parts[0]) : with_right_checksums(std::string(parts[0]), outputs_there));
    std::vector<JournalOutput> outputs{{write_input("job/r.jsonl", parts[1]), 0}};
    if (has_features) outputs.push_back({write_input("job/f.npy", parts[2]), FeatureFile::header_bytes});

    const std::optional<ResumeState> job = recover_job(journal_file, outputs);
    if (!job) return;
    require(job->mark.images <= job->images->size(), "a job has done more images than it has");
    require(job->mark.outputs.size() == outputs.size(), "a mark is not of the job's outputs");
    // Another job.
    first_difference_in_work(Json{{"work", {{"image", 1}}}, {"shard", nullptr}}, job->description);
    if_readable([&] { return tally_results(outputs[0].file, job->mark.outputs[0].bytes).images; });
    std::optional<FeatureFile> features;
    if (has_features) features.emplace(outputs[1].file, bins, job->mark.outputs[1]);

    must([&] {
        AppendedFile results(outputs[0].file, job->mark.outputs[0]);
        results.append("{}\n");
        std::vector<AppendedFile*> files{&results};
        if (features) files.push_back(&features->file());
        Journal journal = Journal::reopen(journal_file, job->mark);
        journal.mark(job->images->size(), files);
        const std::optional<ResumeState> again = recover_job(journal_file, outputs);
        require(
            again && again->mark.images == job->images->size() && again->mark.outputs[0] == results.extent(),
            "a job that was gone on with does not come back to its last mark");
    });
}

/// The manifest, results and, where there are some, features of a job that is complete.
void complete_job_target(std::string_view input) {
    const auto parts = parts_of(input, 3);
    DetectionFiles files;
    files.results = {write_input("complete/r.jsonl", parts[1])};
    files.manifest = write_input("complete/r.run.json", with_right_sha256(parts[0], parts[1], parts[2]));
    const fs::path features = write_input("complete/f.npy", parts[2]);
    if (!parts[2].empty()) files.features = features;
    const std::optional<ResumeState> job =
        find_resume_state(EarlierFiles::of(files), ExistingResults::resume);
    require(job.has_value() != parts[1].empty(), "results are there, and no job that made them");
    if (!job) return;
    first_difference_in_work(Json{{"work", {{"image", 1}}}, {"shard", nullptr}}, job->description);
    require(job->mark.outputs.at(0).bytes == parts[1].size(), "a complete job keeps a part of its results");
    tally_results(files.results[0], job->mark.outputs[0].bytes);
}

/// The manifest and results of two parts, and features of the first, merged.
void merge_shards_target(std::string_view input) {
    const auto parts = parts_of(input, 5);
    write_input("parts/a.run.json", with_right_sha256(parts[0], parts[1], parts[4]));
    write_input("parts/b.run.json", with_right_sha256(parts[2], parts[3], {}));
    MergeRequest request;
    request.parts = {write_input("parts/a.jsonl", parts[1]), write_input("parts/b.jsonl", parts[3])};
    write_input("parts/a.npy", parts[4]);
    request.out = work_folder() / "merged" / "all.jsonl";
    request.overwrite = true;
    if (parts[2].empty()) request.parts.pop_back();
    if (!parts[4].empty()) request.features = work_folder() / "merged" / "all.npy";
    const MergeResult outcome = merge_shards(request);
    const ResultsTally tally = tally_results(request.out, fs::file_size(request.out));
    require(tally.images == outcome.images && tally.detections == outcome.detections,
            "merged results are not what their manifest says");
    read_file(outcome.manifest, "manifest");
}

}  // namespace fovea::fuzz
