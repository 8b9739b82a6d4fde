#include "lib/run/people/finished_results.hpp"

#include <string>
#include <string_view>
#include <unordered_map>

#include "lib/core/error.hpp"
#include "lib/files/block_reader.hpp"
#include "lib/files/folder.hpp"
#include "lib/files/sha256.hpp"
#include "lib/job/compare_manifests.hpp"
#include "lib/job/manifest_file.hpp"
#include "lib/json/json.hpp"
#include "lib/json/json_member.hpp"
#include "lib/json/json_text.hpp"
#include "lib/results/result_line.hpp"

namespace fovea {
namespace fs = std::filesystem;
namespace {

constexpr const char* how =
    "; 'fovea detect ARCHIVE --landmarks MODEL --recogniser NAME --features F.npy --quality' makes them";

void check_is_there(const fs::path& file, const char* flag) {
    if (!is_file(file))
        throw UsageError("there is no file '" + file.string() + "', which " + flag + " names" + how);
}

void check_digest(const fs::path& file, const Json& manifest, const char* place, const fs::path& said_by) {
    const Json::json_pointer sha256(place);
    if (manifest.contains(sha256) && manifest[sha256] == sha256_of_file(file)) return;
    throw UsageError("'" + file.string() + "' is not the file that '" + said_by.string() +
                     "' describes: it has changed since, or is of another job");
}

/// Checks the manifest beside the results.
void check_manifest(const FinishedResults& finished, const Json& work) {
    const std::string results = "'" + finished.results.string() + "'";
    const fs::path file = manifest_path(finished.results);
    if (file.empty() || !is_file(file)) {
        throw UsageError("no manifest lies beside " + results + ", which tells how its faces were found" +
                         how);
    }
    const Json manifest = read_manifest(file);
    if (member_of(manifest, "complete") != true) {
        throw UsageError(results + " is not finished, by '" + file.string() +
                         "'; go on with 'fovea detect --resume' first");
    }
    const Json& description = member_of(member_of(manifest, "work"), "description");
    if (!description.is_object() || member_of(manifest, "features").is_null())
        throw UsageError(results + " was made without features of its faces" + how);
    const std::string difference = first_difference_in_work(work, work_on_faces(description));
    if (!difference.empty()) {
        throw UsageError(results + " is of other work (" + difference +
                         "); give both commands the same model, landmarks, recogniser and options");
    }
    check_digest(finished.results, manifest, "/detectors/0/results_sha256", file);
    check_digest(finished.features, manifest, "/features/sha256", file);
}

}  // namespace

Json work_on_faces(Json work) {
    for (const char* key : {"images", "decoder", "fovea", "crops", "quality"}) work.erase(key);
    return Json::parse(compact_text(work));
}

FinishedImages check_finished_results(const FinishedResults& finished, const Json& work,
                                      const ImageList& images) {
    check_is_there(finished.results, "--results");
    check_is_there(finished.features, "--features");
    check_manifest(finished, work);
    std::unordered_map<std::string_view, std::size_t> numbers;
    for (std::size_t i = 0; i < images.size(); ++i) numbers[images.name(i)] = i;
    FinishedImages found;
    BlockReader lines(finished.results, 0, std::size_t{1} << 20);
    for (std::size_t number = 1; const auto line = lines.next_line(); ++number) {
        const std::optional<ResultLine> result = read_result_line(*line);
        if (!result)
            throw Error("'" + finished.results.string() + "': line " + std::to_string(number) +
                        " is no result; detect in the images again");
        const auto image = numbers.find(result->image);
        if (image == numbers.end()) continue;
        if (images.frame(image->second))
            ++found.frames;
        else
            found.photographs.push_back(image->second);
    }
    if (found.photographs.empty() && found.frames == 0) {
        throw UsageError("no image of '" + finished.results.string() + "' is among the images of '" +
                         images.specification() + "'; name the archive that the results are of");
    }
    return found;
}

}  // namespace fovea
