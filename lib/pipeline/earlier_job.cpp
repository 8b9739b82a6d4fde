#include "lib/pipeline/earlier_job.hpp"

#include <fstream>

#include "lib/core/error.hpp"
#include "lib/core/file.hpp"
#include "lib/core/json_member.hpp"
#include "lib/core/packed.hpp"
#include "lib/core/sha256.hpp"

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
    std::string block(std::size_t{1} << 20, '\0');
    FileExtent extent;
    while (stream.read(block.data(), static_cast<std::streamsize>(block.size())) || stream.gcount() > 0) {
        const auto count = static_cast<std::size_t>(stream.gcount());
        extent.bytes += count;
        extent.crc32 = crc32_of(std::string_view(block).substr(0, count), extent.crc32);
    }
    return extent;
}

bool is_true(const Json& json) {
    return json.is_boolean() && json.get<bool>();
}

// True if an entry of a manifest has the SHA-256 of a file that is there.
bool holds(const Json& entry, const char* key, const fs::path& file) {
    std::error_code error;
    return fs::is_regular_file(file, error) && member_of(entry, key) == sha256_of_file(file);
}

// A job that is complete has no journal any more, but a manifest. Null if this is no such job.
Json complete_manifest(const DetectionFiles& files) {
    std::error_code error;
    if (!fs::is_regular_file(files.manifest, error)) return nullptr;
    Json manifest = read_manifest(files.manifest);
    if (!is_true(member_of(manifest, "complete")) || member_of(manifest, "configuration").is_null() ||
        member_of(member_of(manifest, "work"), "description").is_null() ||
        !member_of(member_of(manifest, "counts"), "images").is_number_unsigned()) {
        return nullptr;
    }
    const Json& detectors = member_of(manifest, "detectors");
    for (std::size_t i = 0; i < files.results.size(); ++i) {
        const bool is_detector = detectors.is_array() && i < detectors.size();
        const Json& entry = is_detector ? detectors[i] : member_of(manifest, "truth_boxes");
        if (!holds(entry, "results_sha256", files.results[i])) return nullptr;
    }
    const bool has_features =
        files.features.empty() || holds(member_of(manifest, "features"), "sha256", files.features);
    return has_features ? manifest : Json();
}

}  // namespace

std::optional<EarlierJob> find_earlier_job(const DetectionFiles& files, EarlierWork wanted) {
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
        return EarlierJob{std::move(recovered->work), std::move(recovered->images),
                          std::move(recovered->mark)};
    }
    if (!fs::exists(results, error) || fs::file_size(results, error) == 0) return std::nullopt;
    const Json manifest = complete_manifest(files);
    if (manifest.is_null()) {
        throw UsageError("cannot go on with " + results.string() +
                         ": no journal lies beside it, so it is not what an interrupted job has left; start "
                         "anew with --overwrite, or name another file with --out");
    }
    EarlierJob earlier;
    earlier.description = {{"work", member_of(manifest["work"], "description")},
                           {"request", member_of(manifest["configuration"], "dataset")},
                           {"shard", member_of(manifest["work"], "shard")}};
    earlier.mark.images = manifest["counts"]["images"].get<std::size_t>();
    for (const JournalOutput& output : outputs) earlier.mark.outputs.push_back(extent_of(output));
    return earlier;
}

}  // namespace fovea
