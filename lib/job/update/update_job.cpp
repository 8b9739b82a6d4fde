#include "lib/job/update/update_job.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>
#include <utility>

#include <spdlog/spdlog.h>
#include <sys/stat.h>
#include <tbb/parallel_for.h>

#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/dataset/formats/read_dataset.hpp"
#include "lib/files/block_reader.hpp"
#include "lib/files/disk.hpp"
#include "lib/files/file.hpp"
#include "lib/files/folder.hpp"
#include "lib/files/open_file.hpp"
#include "lib/files/sha256.hpp"
#include "lib/files/staged_files.hpp"
#include "lib/inputs/image_state.hpp"
#include "lib/inputs/list_file.hpp"
#include "lib/inputs/make_list_file.hpp"
#include "lib/job/compare_manifests.hpp"
#include "lib/job/journal/feature_file.hpp"
#include "lib/job/journal/journal.hpp"
#include "lib/job/manifest_file.hpp"
#include "lib/job/manifest_parts.hpp"
#include "lib/json/json.hpp"
#include "lib/json/json_member.hpp"
#include "lib/json/json_text.hpp"
#include "lib/results/result_line.hpp"
#include "lib/results/results.hpp"
#include "lib/results/tally.hpp"

namespace fovea {
namespace fs = std::filesystem;
namespace {

/// Clocks of file servers may differ from those of hosts by so much.
constexpr std::int64_t clock_margin = 2;

// Files in the folder of an update.
constexpr const char* merged_results = "merged.jsonl";
constexpr const char* merged_features = "merged.npy";
constexpr const char* todo_file = "todo.json";
/// It is there once all is merged, and only has to take its place.
constexpr const char* done_mark = "merged";

/// Read or written at once.
constexpr std::size_t piece_bytes = std::size_t{1} << 20;

constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

fs::path list_beside(const fs::path& results) {
    fs::path list = results;
    return list += ".fvl";
}

/// When the work on results began, in seconds since 1970; nothing if an earlier version has written them.
std::optional<std::int64_t> began_of(const Json& manifest) {
    const Json& began = member_of(member_of(manifest, "timings"), "began");
    if (began.is_number_integer()) return began.get<std::int64_t>();
    std::optional<std::int64_t> first;
    for (const Json& part : member_of(manifest, "parts")) {
        const std::optional<std::int64_t> of_part = began_of(part);
        if (!of_part) return std::nullopt;
        first = std::min(first.value_or(*of_part), *of_part);
    }
    return first;
}

bool was_touched_since(const fs::path& file, std::int64_t seconds) {
    struct stat status {};
    if (::stat(file.c_str(), &status) != 0) return true;
    // A file that was moved here has its old time of modification.
    return std::max(status.st_mtim.tv_sec, status.st_ctim.tv_sec) >= seconds - clock_margin;
}

/// A file of which pieces are read, mostly one behind the other.
class PieceReader {
  public:
    explicit PieceReader(const fs::path& file) : path_(file), file_(open_to_read(file)) {
        if (!file_) throw Error("'" + file.string() + "' cannot be opened.");
    }

    /// Valid until the next call.
    std::string_view read(std::uint64_t offset, std::size_t length) {
        if (offset < begin_ || offset + length > begin_ + buffer_.size()) fill(offset, length);
        return std::string_view(buffer_).substr(offset - begin_, length);
    }

  private:
    void fill(std::uint64_t offset, std::size_t length) {
        buffer_.resize(std::max(length, piece_bytes));
        begin_ = offset;
        const std::ptrdiff_t got = read_at(file_->descriptor.get(), buffer_.data(), buffer_.size(), offset);
        if (got < 0 || static_cast<std::size_t>(got) < length)
            throw Error("'" + path_.string() +
                        "' cannot be read, or has become shorter; run the command again.");
        buffer_.resize(static_cast<std::size_t>(got));
    }

    fs::path path_;
    std::optional<OpenFile> file_;
    std::string buffer_;
    std::uint64_t begin_ = 0;
};

/// The place of its results' checksum in a manifest.
const Json& results_entry(const Json& manifest) {
    const Json& truth = member_of(manifest, "truth_boxes");
    if (truth.is_object()) return truth;
    const Json& detectors = member_of(manifest, "detectors");
    static const Json nothing;
    return detectors.is_array() && detectors.size() == 1 ? detectors[0] : nothing;
}

std::vector<ImageState> states_of(const ImageListData& images) {
    std::vector<ImageState> states;
    for (std::size_t i = 0; i < images.names.size(); ++i) states.push_back(state_of(images, i));
    return states;
}

Json without_images(Json work) {
    if (work.is_object()) work.erase("images");
    return work;
}

}  // namespace

/// Complete results of an earlier run, a line for each image.
struct UpdateJob::Earlier {
    struct Line {
        std::uint64_t name_hash = 0;
        std::uint64_t offset = 0;
        std::uint64_t first_row = 0;
        std::uint32_t length = 0;
        std::uint32_t rows = 0;
        bool is_ok = true;
    };

    Json manifest;
    std::vector<Line> lines;
    std::vector<std::uint32_t> by_hash;  ///< lines by rising name_hash
    std::vector<ImageState> states;      ///< of the lines' images; empty: not known
    std::int64_t began = 0;              ///< of the work, if states are not known
    std::uint64_t features_bins = 0;

    /// The line of an image; `none` if there is none.
    std::size_t find(std::string_view name) const {
        const std::uint64_t hash = std::hash<std::string_view>{}(name);
        const auto found = std::lower_bound(
            by_hash.begin(), by_hash.end(), hash,
            [&](std::uint32_t line, std::uint64_t wanted) { return lines[line].name_hash < wanted; });
        return found != by_hash.end() && lines[*found].name_hash == hash ? *found : none;
    }
};

UpdateJob::UpdateJob(UpdateRequest request, const JobHooks& hooks)
    : request_(std::move(request)), folder_(request_.results.string() + ".update") {
    if (journal_path(request_.results).empty()) {
        throw UsageError("'" + request_.results.string() +
                         "' is no file whose results could be brought up to date; name one");
    }
    if (is_there(journal_path(request_.results))) {
        throw UsageError("'" + request_.results.string() +
                         "' holds results of an interrupted job; complete it with --resume before");
    }
    if (!request_.starts_again && is_there(folder_ / done_mark)) publish();
    if (request_.starts_again) {
        remove_tree(folder_);
    } else {
        read_earlier(hooks);
    }
    if (!earlier_ && !request_.follows_images) {
        throw UsageError("there are no results '" + request_.results.string() +
                         "' whose unreadable images could be read again; check the path");
    }
    const bool is_list = request_.images.files.empty() && is_list_file(request_.images.specification);
    const fs::path list = folder_ / "list.fvl";
    check_is_same_request();
    if (!is_there(list)) {
        make_output_folder(folder_, "update");
        if (is_list) {
            replace_file(list, read_file(format_and_path(request_.images.specification).path, "list file"));
        } else {
            hooks.begin_stage("listing the images");
            make_list_file(request_.images, list, hooks, request_.compares_contents);
        }
    }
    ImageListData data = ListFile(list).whole();
    if (request_.images.specification.empty()) {
        data.specification = counted(request_.images.files.size(), "file");
        data.format = "files";
    } else {
        const FormatAndPath named = format_and_path(request_.images.specification);
        data.specification = request_.images.specification;
        data.format = named.format;
        if (is_list) data.sources = {named.path};
    }
    // The images to be read do not hold them any more.
    const std::vector<ImageState> states =
        earlier_ && !earlier_->states.empty() ? states_of(data) : std::vector<ImageState>();
    if (is_list) {
        if (request_.retries_unreadable) data.marks.clear();
    } else {
        // The files are read as they are: a run over the folder would do so.
        data.list_sha256.clear();
        data.marks.clear();
    }
    compare(ImageListBuilder::whole(std::move(data)), states);
}

UpdateJob::~UpdateJob() = default;

Json UpdateJob::counts_json() const {
    return {{"kept", counts_.kept},
            {"added", counts_.added},
            {"changed", counts_.changed},
            {"retried", counts_.retried},
            {"gone", counts_.gone}};
}

fs::path UpdateJob::new_results() const {
    return folder_ / "new.jsonl";
}

fs::path UpdateJob::new_features() const {
    return request_.features.empty() ? fs::path() : folder_ / "new.npy";
}

void UpdateJob::read_earlier(const JobHooks& hooks) {
    if (!is_file(request_.results) || size_of_file(request_.results) == 0) return;
    hooks.begin_stage("reading the results");
    const auto refuse = [&](const std::string& why) {
        throw UsageError("'" + request_.results.string() + "' cannot be brought up to date: " + why +
                         "; name complete results of 'fovea detect', or start again with --overwrite");
    };
    auto earlier = std::make_unique<Earlier>();
    earlier->manifest = read_manifest(manifest_path(request_.results));
    const Json& work = member_of(earlier->manifest, "work");
    if (member_of(earlier->manifest, "complete") != true || member_of(work, "description").is_null())
        refuse("no manifest of a complete job lies beside it");
    if (!member_of(work, "shard").is_null()) refuse("it is a part; merge all parts before");
    const Json& features = member_of(earlier->manifest, "features");
    if (features.is_null() != request_.features.empty())
        refuse(request_.features.empty() ? "it has features, whose file --features must name"
                                         : "it has no features");
    BlockReader reader(request_.results, 0, piece_bytes);
    Sha256 sha256;
    std::uint64_t offset = 0, row = 0;
    while (const std::optional<std::string_view> bytes = reader.next_line()) {
        if (hooks.is_cancelled()) throw JobCancelled{};
        const std::optional<ResultLine> line = read_result_line(*bytes);
        if (!line) refuse("line " + std::to_string(earlier->lines.size() + 1) + " is no result of an image");
        sha256.add(*bytes);
        earlier->lines.push_back({std::hash<std::string_view>{}(line->image), offset, row,
                                  static_cast<std::uint32_t>(bytes->size()),
                                  static_cast<std::uint32_t>(line->detections), line->ok()});
        offset += bytes->size();
        row += line->detections;
    }
    if (member_of(results_entry(earlier->manifest), "results_sha256") != sha256.text())
        refuse("it was changed since its manifest was written");
    for (std::uint32_t line = 0; line < earlier->lines.size(); ++line) earlier->by_hash.push_back(line);
    std::sort(earlier->by_hash.begin(), earlier->by_hash.end(), [&](std::uint32_t a, std::uint32_t b) {
        return earlier->lines[a].name_hash < earlier->lines[b].name_hash;
    });
    if (!request_.features.empty()) {
        const FeatureFileShape shape = read_feature_file_shape(request_.features);
        if (shape.rows != row) refuse("its features have another number of rows");
        earlier->features_bins = shape.bins;
    }
    earlier_ = std::move(earlier);
    if (const fs::path list = list_beside(request_.results); is_file(list)) {
        const ListFile file(list);
        if (member_of(work, "images_sha256") == file.head().names_sha256) {
            earlier_->states = states_of(file.whole());
            return;
        }
        spdlog::warn("'{}' is a list of other images than these results have: it is not used", list.string());
    }
    if (request_.compares_contents)
        refuse("no list of its images lies beside it, whose contents could be compared");
    const std::optional<std::int64_t> began = began_of(earlier_->manifest);
    if (!began) refuse("its manifest does not tell when it was begun, as an earlier version has written it");
    earlier_->began = *began;
}

void UpdateJob::compare(const ImageList& whole, const std::vector<ImageState>& states) {
    std::vector<std::size_t> lines(whole.size(), none);
    std::vector<bool> was_seen(earlier_ ? earlier_->lines.size() : 0, false);
    enum class Fate : std::uint8_t { kept, added, changed, retried };
    std::vector<Fate> fates(whole.size(), Fate::added);
    if (earlier_) {
        tbb::parallel_for(std::size_t{0}, whole.size(), [&](std::size_t i) {
            const std::size_t line = lines[i] = earlier_->find(whole.name(i));
            if (line == none) return;
            const bool is_changed =
                request_.follows_images && (states.empty() ? was_touched_since(whole.file(i), earlier_->began)
                                                           : !is_unchanged(earlier_->states[line], states[i],
                                                                           request_.compares_contents));
            fates[i] = is_changed                                                    ? Fate::changed
                       : request_.retries_unreadable && !earlier_->lines[line].is_ok ? Fate::retried
                                                                                     : Fate::kept;
        });
    }
    if (const std::optional<std::vector<bool>> begun = begun_to_do(whole)) {
        for (std::size_t i = 0; i < fates.size(); ++i) {
            if (lines[i] == none) continue;
            const bool is_retried = request_.retries_unreadable && !earlier_->lines[lines[i]].is_ok;
            fates[i] = !(*begun)[i] ? Fate::kept : is_retried ? Fate::retried : Fate::changed;
        }
    }
    std::vector<bool> to_do(whole.size(), true);
    for (std::size_t i = 0; i < whole.size(); ++i) {
        if (lines[i] != none) was_seen[lines[i]] = true;
        to_do[i] = fates[i] != Fate::kept;
        counts_.added += fates[i] == Fate::added;
        counts_.changed += fates[i] == Fate::changed;
        counts_.retried += fates[i] == Fate::retried;
        if (to_do[i]) continue;
        ++counts_.kept;
        kept_lines_.push_back(static_cast<std::uint32_t>(lines[i]));
        kept_positions_.push_back(static_cast<std::uint32_t>(i));
    }
    counts_.gone = static_cast<std::size_t>(std::count(was_seen.begin(), was_seen.end(), false));
    if (!request_.follows_images && counts_.added + counts_.gone > 0) {
        remove_tree(folder_);
        throw UsageError("'" + request_.results.string() +
                         "' has results of other images: " + counted(counts_.added, "image") + " came and " +
                         std::to_string(counts_.gone) + " went since; use --update");
    }
    write_to_do(whole, to_do);
    images_.images = whole.part([&](std::size_t i) { return bool(to_do[i]); });
    images_.shard = Shard{2, 2};
}

Json UpdateJob::request_json() const {
    return {{"images", request_.images.specification},
            {"files", request_.images.files},
            {"update", request_.follows_images},
            {"retry_unreadable", request_.retries_unreadable},
            {"verify_content", request_.compares_contents},
            {"features", !request_.features.empty()}};
}

void UpdateJob::check_is_same_request() const {
    const fs::path file = folder_ / todo_file;
    if (!is_there(file)) return;
    const Json before = read_manifest(file);
    if (member_of(before, "request") == Json::parse(compact_text(request_json()))) return;
    throw UsageError("an update with other options was interrupted, whose work lies in '" + folder_.string() +
                     "'; give the same options, or remove that folder");
}

std::optional<std::vector<bool>> UpdateJob::begun_to_do(const ImageList& whole) const {
    const fs::path file = folder_ / todo_file;
    if (!is_there(file)) return std::nullopt;
    const Json positions = member_of(read_manifest(file), "positions");
    if (!positions.is_array()) return std::nullopt;
    std::vector<bool> to_do(whole.size(), false);
    for (const Json& position : positions) {
        if (!position.is_number_unsigned() || position.get<std::size_t>() >= to_do.size())
            throw Error("'" + file.string() + "' is damaged; remove the folder it lies in.");
        to_do[position.get<std::size_t>()] = true;
    }
    return to_do;
}

// The images to be done are the same when the command is given again, whatever is changed meanwhile.
void UpdateJob::write_to_do(const ImageList& whole, const std::vector<bool>& to_do) const {
    Json json{{"request", request_json()}};
    // All are done if there are no earlier results.
    if (earlier_) {
        json["positions"] = Json::array();
        for (std::size_t i = 0; i < whole.size(); ++i) {
            if (to_do[i]) json["positions"].push_back(i);
        }
    }
    replace_file(folder_ / todo_file, compact_text(json));
}

void UpdateJob::check_is_same_work(const Json& work) const {
    if (!earlier_) return;
    const Json& before = member_of(member_of(earlier_->manifest, "work"), "description");
    const std::string difference = first_difference_in_work(without_images(work), without_images(before));
    if (difference.empty()) return;
    throw UsageError("'" + request_.results.string() +
                     "' cannot be brought up to date: it holds results of other "
                     "work (" +
                     difference + "); give the same options as before, or start again with --overwrite");
}

// The lines that are kept, as the first of two parts. False if it was cancelled.
bool UpdateJob::write_kept(const JobHooks& hooks) const {
    const fs::path results = folder_ / "kept.jsonl", features = folder_ / "kept.npy";
    Json manifest = read_manifest(manifest_path(new_results()));
    {
        ResultsWriter writer(results);
        writer.file().begin();
        std::optional<FeatureFile> rows;
        std::optional<PieceReader> old_lines, old_rows;
        if (earlier_) old_lines.emplace(request_.results);
        std::uint64_t row_bytes = 0;
        if (!request_.features.empty()) {
            const FeatureFileShape shape = read_feature_file_shape(new_features());
            rows.emplace(features, shape.bins, FileExtent{}, shape.type);
            rows->file().begin();
            row_bytes = shape.bins * sizeof(std::uint16_t);
            if (earlier_) old_rows.emplace(request_.features);
        }
        std::string lines;
        const auto flush = [&](std::size_t least) {
            if (lines.size() < least) return;
            writer.write_lines(lines);
            lines.clear();
        };
        for (std::size_t k = 0; k < kept_lines_.size(); ++k) {
            if (hooks.is_cancelled()) return false;
            const Earlier::Line& line = earlier_->lines[kept_lines_[k]];
            const std::string_view bytes = old_lines->read(line.offset, line.length);
            const std::optional<ResultLine> read = read_result_line(bytes);
            if (!read || std::hash<std::string_view>{}(read->image) != line.name_hash)
                throw Error("'" + request_.results.string() +
                            "' was changed while it was brought up to date.");
            lines += bytes;
            flush(piece_bytes);
            for (std::uint32_t row = 0; rows && row < line.rows; ++row)
                rows->file().append(old_rows->read(
                    FeatureFile::header_bytes + (line.first_row + row) * row_bytes, row_bytes));
        }
        flush(1);
        writer.close();
        if (rows) {
            manifest["features"]["rows"] = rows->rows();
            rows->close();
            manifest["features"]["file"] = features.filename().string();
            manifest["features"]["sha256"] = sha256_of_file(features);
        }
    }
    const ResultsTally tally = tally_results(results, size_of_file(results));
    std::string positions;
    for (std::size_t k = 0; k < kept_positions_.size(); ++k) {
        if (k > 0) positions += ' ';
        positions += std::to_string(kept_positions_[k] - (k > 0 ? kept_positions_[k - 1] : 0));
    }
    manifest["shard"] = {{"index", 1}, {"count", 2}, {"positions", positions}};
    manifest["work"]["shard"] = "1/2";
    for (const char* key : {"timings", "energy", "videos", "error", "decoding"}) manifest.erase(key);
    Json& entry = manifest.contains("truth_boxes") ? manifest["truth_boxes"] : manifest["detectors"][0];
    entry[entry.contains("faces") ? "faces" : "detections"] = tally.detections;
    entry["results"] = results.filename().string();
    entry["results_sha256"] = sha256_of_file(results);
    const Json& skipped = member_of(member_of(manifest, "counts"), "skipped");
    set_images(manifest, tally, skipped.is_number_unsigned() ? skipped.get<std::size_t>() : 0,
               Json::object({{"detections", tally.detections}}));
    write_json_file(manifest_path(results), manifest);
    return true;
}

MergeResult UpdateJob::finish(const JobHooks& hooks) {
    hooks.begin_stage("merging");
    MergeResult result;
    result.interrupted = !write_kept(hooks);
    if (result.interrupted) return result;
    const fs::path merged = folder_ / merged_results;
    result = merge_shards({{folder_ / "kept.jsonl", new_results()},
                           merged,
                           request_.features.empty() ? fs::path() : folder_ / merged_features,
                           true},
                          hooks);
    if (result.interrupted) return result;
    Json manifest = read_manifest(result.manifest);
    const Json of_new = read_manifest(manifest_path(new_results()));
    manifest["command"] = "detect";
    for (const char* key : {"parts", "videos"}) manifest.erase(key);
    for (const char* key : {"device", "timings", "energy", "decoding"}) {
        if (of_new.contains(key)) manifest[key] = of_new[key];
    }
    Json& entry = manifest.contains("truth_boxes") ? manifest["truth_boxes"] : manifest["detectors"][0];
    entry["results"] = request_.results.filename().string();
    if (!request_.features.empty()) {
        manifest["features"]["file"] =
            request_.features.lexically_proximate(request_.results.parent_path()).generic_string();
    }
    manifest["update"] = counts_json();
    write_json_file(result.manifest, manifest);
    write_file(folder_ / done_mark, "");
    sync_folder(folder_ / done_mark);
    publish();
    result.manifest = manifest_path(request_.results);
    return result;
}

// It is done again from its beginning if it is killed: files that have moved already are not there.
void UpdateJob::publish() const {
    const fs::path merged = folder_ / merged_results;
    const std::pair<fs::path, fs::path> moves[] = {{folder_ / merged_features, request_.features},
                                                   {merged, request_.results},
                                                   {manifest_path(merged), manifest_path(request_.results)},
                                                   {folder_ / "list.fvl", list_beside(request_.results)}};
    for (const auto& [from, to] : moves) {
        if (is_there(from)) rename_file(from, to);
    }
    remove_tree(folder_);
}

}  // namespace fovea
