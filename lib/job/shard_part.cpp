#include "lib/job/shard_part.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/files/file.hpp"
#include "lib/files/folder.hpp"
#include "lib/files/sha256.hpp"
#include "lib/job/compare_manifests.hpp"
#include "lib/job/journal/feature_file.hpp"
#include "lib/job/journal/journal.hpp"
#include "lib/job/manifest_file.hpp"
#include "lib/json/json_place.hpp"

namespace fovea {
namespace fs = std::filesystem;
namespace {

// The results of a detector, or of the annotated boxes where no detector ran.
JsonPlace results_place(const JsonPlace& root) {
    const JsonPlace detectors = root["detectors"];
    const std::size_t count = detectors.array_size() + (root.has("truth_boxes") ? 1 : 0);
    if (count != 1) detectors.fail("one detector, as in the manifests of 'fovea detect'");
    return root.has("truth_boxes") ? root["truth_boxes"] : detectors[0];
}

// Those of tracks are the first of the files.
bool are_tracks(const JsonPlace& root) {
    return root.has("sequences");
}

void read_results_entry(const JsonPlace& root, ShardPart& part) {
    const JsonPlace counts = root["counts"];
    if (are_tracks(root)) {
        const JsonPlace files = root["files"];
        if (files.array_size() == 0) files.fail("the files of tracks");
        part.sha256 = files[0]["sha256"].text();
        part.all_detections = part.detections = counts["boxes"].exact_count();
    } else {
        const JsonPlace results = results_place(root);
        part.sha256 = results["results_sha256"].text();
        part.detections = results[root.has("truth_boxes") ? "faces" : "detections"].exact_count();
        part.all_detections = counts["detections"].exact_count();
    }
    part.unreadable = counts["unreadable"].exact_count();
    // Earlier versions did not count these.
    if (counts.has("damaged")) part.damaged = counts["damaged"].exact_count();
    if (counts.has("skipped")) part.skipped = counts["skipped"].exact_count();
    if (counts.has("pages_left_out")) part.pages_left_out = counts["pages_left_out"].exact_count();
}

// Merging adds up these counts of the videos.
void check_videos(const JsonPlace& root) {
    if (!root.has("videos") || are_tracks(root)) return;
    const JsonPlace videos = root["videos"];
    for (std::size_t i = 0; i < videos.array_size(); ++i) {
        videos[i]["video"].text();
        const JsonPlace frames = videos[i]["frames"];
        for (const char* count : {"listed", "decoded"}) frames[count].exact_count();
    }
}

std::string complete_it(const PartKind& kind) {
    return "complete it with 'fovea " + std::string(kind.command) + "' and --resume.";
}

/// Names all unfinished parts at once: whoever sends them again does it once.
void check_none_is_unfinished(const std::vector<fs::path>& parts, const PartKind& kind) {
    std::vector<fs::path> unfinished;
    for (const fs::path& part : parts) {
        const fs::path journal = kind.journal(part);
        if (!journal.empty() && is_there(journal)) unfinished.push_back(part);
    }
    // One is told with its journal.
    if (unfinished.size() < 2) return;
    constexpr std::size_t shown = 10;
    std::string names;
    for (std::size_t i = 0; i < unfinished.size() && i < shown; ++i)
        names += (i > 0 ? ", '" : "'") + unfinished[i].string() + "'";
    if (unfinished.size() > shown) names += ", ...";
    throw Error(std::to_string(unfinished.size()) + " of the " + counted(parts.size(), "part") +
                " are not complete, as their journals lie beside them: " + names + "; " + complete_it(kind) +
                " 'fovea status' tells how far they have come, and their indices.");
}

Json manifest_of(const ShardPart& part, const PartKind& kind) {
    const fs::path journal = kind.journal(part.results);
    const bool has_journal = !journal.empty() && is_there(journal);
    const std::string name = "The part '" + part.results.string() + "'";
    if (has_journal) {
        throw Error(name + " is not complete: its journal '" + journal.string() + "' lies beside it; " +
                    complete_it(kind));
    }
    if (part.manifest_file.empty() || !is_there(part.manifest_file)) {
        throw Error(name + " has no manifest '" + part.manifest_file.string() +
                    "' beside it, which says what part it is; merge files of 'fovea " + kind.command +
                    " --shard', and take their manifests along where they are moved.");
    }
    Json manifest = read_manifest(part.manifest_file);
    if (manifest.is_null()) {
        throw Error("The manifest '" + part.manifest_file.string() +
                    "' is not JSON, as if it were cut off; make the part again.");
    }
    return manifest;
}

void read_shard(const JsonPlace& root, ShardPart& part) {
    part.images = root["work"]["images"].exact_count();
    part.lines = root["counts"]["images"].exact_count();
    if (!root.has("shard")) return;
    const JsonPlace shard = root["shard"];
    constexpr int largest = std::numeric_limits<int>::max();
    part.shard.count = static_cast<int>(shard["count"].integer(1, largest));
    part.shard.index = static_cast<int>(shard["index"].integer(1, part.shard.count));
    part.positions = shard["positions"].text();
    const auto positions = static_cast<std::size_t>(
        std::count(part.positions->begin(), part.positions->end(), ' ') + (part.positions->empty() ? 0 : 1));
    if (positions != part.lines) {
        throw Error("The manifest '" + part.manifest_file.string() + "' counts " +
                    counted(part.lines, "image") + " and has " + counted(positions, "position") +
                    "; make the part again.");
    }
}

void read_features(const JsonPlace& root, ShardPart& part) {
    if (!root.has("features")) return;
    const JsonPlace place = root["features"];
    PartFeatures features;
    features.file = part.manifest_file.parent_path() / place["file"].text();
    features.rows = place["rows"].exact_count();
    features.bins = static_cast<std::size_t>(place["bins"].integer(1, std::int64_t{1} << 24));
    features.sha256 = place["sha256"].text();
    part.features = std::move(features);
}

ShardPart read_part(const fs::path& results, const PartKind& kind) {
    ShardPart part;
    part.results = results;
    part.manifest_file = manifest_path(results);
    if (!is_file(results)) {
        throw UsageError("There is no results file '" + results.string() +
                         "' to merge; check the path, and whether its part was run.");
    }
    part.manifest = manifest_of(part, kind);
    const JsonPlace root(part.manifest, part.manifest_file.string());
    if (!root["complete"].truth()) {
        throw Error("The part '" + results.string() + "' is not complete, says its manifest; " +
                    complete_it(kind));
    }
    if (are_tracks(root) != kind.are_tracks) {
        throw UsageError("the part '" + results.string() + "' " + kind.other);
    }
    for (const char* key : {"sha256", "images_sha256"}) root["work"][key].text();
    read_results_entry(root, part);
    read_shard(root, part);
    read_features(root, part);
    check_videos(root);
    if (part.positions) part.manifest["shard"].erase("positions");
    return part;
}

/// Drops what all parts have alike: there may be thousands.
void drop_common(Json& manifest) {
    for (const char* key : {"configuration", "versions", "decoder", "work", "dataset", "detectors",
                            "landmarks", "truth_boxes"}) {
        manifest.erase(key);
    }
}

/// Shards as indices from 0.
std::string from_0(std::vector<ArrayRange> shards) {
    for (ArrayRange& range : shards) range = {range.first - 1, range.last - 1};
    return array_expression(shards);
}

void check_shards(const std::vector<ShardPart>& parts) {
    const ShardPart& first = parts.front();
    for (std::size_t i = 1; i < parts.size(); ++i) {
        if (parts[i].shard.count != first.shard.count) {
            throw Error("The parts " + display_name(first) + " and " + display_name(parts[i]) +
                        " are of divisions into different numbers of shards; merge those of one division.");
        }
        if (parts[i].shard.index == parts[i - 1].shard.index) {
            throw Error("The parts " + display_name(parts[i - 1]) + " and " + display_name(parts[i]) +
                        " are the same shard; name one of them.");
        }
    }
    const auto count = static_cast<std::size_t>(first.shard.count);
    if (parts.size() == count) return;
    std::vector<ArrayRange> missing;
    int last = 0;
    for (const ShardPart& part : parts) {
        if (part.shard.index - 1 > last) missing.push_back({last + 1, part.shard.index - 1});
        last = part.shard.index;
    }
    if (last < first.shard.count) missing.push_back({last + 1, first.shard.count});
    const std::size_t lacking = count - parts.size();
    throw Error(std::to_string(lacking) + " of the " + counted(count, "shard") +
                (lacking == 1 ? " is" : " are") + " missing: " + array_expression(missing) +
                "; run them, or name their files, too. As indices of a job array from 0: --array=" +
                from_0(missing) + ".");
}

}  // namespace

PositionCursor::PositionCursor(const ShardPart& part)
    : part_(part), rest_(part.positions ? std::string_view(*part.positions) : std::string_view()) {}

std::optional<std::size_t> PositionCursor::next() {
    if (!part_.positions) {
        const std::size_t position = last_ ? *last_ + 1 : 0;
        if (position >= part_.images) return std::nullopt;
        last_ = position;
        return position;
    }
    if (rest_.empty()) return std::nullopt;
    std::size_t step = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), step);
    const auto length = static_cast<std::size_t>(end - rest_.data());
    const std::size_t begin = last_.value_or(0);
    const bool ends = length == rest_.size() || (rest_[length] == ' ' && length + 1 < rest_.size());
    if (error != std::errc() || !ends || (last_ && step == 0) || step >= part_.images ||
        begin >= part_.images - step) {
        throw Error(part_.manifest_file.string() + ": 'shard.positions' must be steps to positions below " +
                    std::to_string(part_.images) + ", but has '" + excerpt(rest_, 30) +
                    "'; make the part again.");
    }
    rest_.remove_prefix(std::min(length + 1, rest_.size()));
    last_ = begin + step;
    return last_;
}

void WholeList::take(const ShardPart& part, std::size_t position, std::size_t count) {
    if (position > done_) fail_hole();
    if (position < done_) {
        throw Error("The parts " + display_name(*last_) + " and " + display_name(part) + " both have image " +
                    std::to_string(position + 1) +
                    " of the list; they are not parts of one division, make them again.");
    }
    done_ += count;
    last_ = &part;
}

void WholeList::check_end() const {
    if (done_ < images_) fail_hole();
}

void WholeList::fail_hole() const {
    throw Error("None of the parts has image " + std::to_string(done_ + 1) + " of the " +
                std::to_string(images_) +
                " in the list; they are not the parts of one division, make them again.");
}

const PartKind detection_parts{"detect", journal_path, false,
                               "holds tracks; name the folders of all parts to merge these"};

std::vector<ShardPart> read_shard_parts(const std::vector<fs::path>& parts, const PartKind& kind) {
    check_none_is_unfinished(parts, kind);
    std::vector<ShardPart> read;
    std::size_t lowest = 0;
    for (const fs::path& results : parts) {
        read.push_back(read_part(results, kind));
        const std::size_t last = read.size() - 1;
        if (last == lowest) continue;
        if (const std::string difference = compare_manifests(read[lowest].manifest, read[last].manifest);
            !difference.empty()) {
            throw Error("The parts " + display_name(read[lowest]) + " and " + display_name(read[last]) +
                        " are not of the same work: " + difference + "; merge parts of one configuration.");
        }
        const bool is_lower = read[last].shard.index < read[lowest].shard.index;
        drop_common(read[is_lower ? lowest : last].manifest);
        if (is_lower) lowest = last;
    }
    std::stable_sort(read.begin(), read.end(),
                     [](const ShardPart& a, const ShardPart& b) { return a.shard.index < b.shard.index; });
    check_shards(read);
    return read;
}

void check_part_bytes(const ShardPart& part, bool with_features) {
    const auto check = [&](const fs::path& file, const std::string& sha256, const std::string& what) {
        if (sha256_of_file(file) == sha256) return;
        throw Error("The " + what + " '" + file.string() + "' was changed since its manifest '" +
                    part.manifest_file.string() + "' was written; make the part again.");
    };
    check(part.results, part.sha256, "results file");
    if (!with_features) return;
    const PartFeatures& features = *part.features;
    // The manifest names it: that may be a pipe or a device, whose end would never come.
    if (!is_file(features.file)) {
        throw Error("There is no features file '" + features.file.string() + "', which the manifest '" +
                    part.manifest_file.string() + "' names; take it along with the part.");
    }
    check(features.file, features.sha256, "features file");
    const FeatureFileShape shape = read_feature_file_shape(features.file);
    if (shape.rows != features.rows || shape.bins != features.bins) {
        throw Error("The features '" + features.file.string() + "' are " + std::to_string(shape.rows) +
                    " x " + std::to_string(shape.bins) + " words, and by the manifest '" +
                    part.manifest_file.string() + "' " + std::to_string(features.rows) + " x " +
                    std::to_string(features.bins) + "; make the part again.");
    }
}

std::string display_name(const ShardPart& part) {
    return "'" + part.results.string() + "' (shard " + std::to_string(part.shard.index) + "/" +
           std::to_string(part.shard.count) + ")";
}

}  // namespace fovea
