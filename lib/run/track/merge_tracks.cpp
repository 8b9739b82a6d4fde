#include "lib/run/track/merge_tracks.hpp"

#include <algorithm>
#include <map>
#include <system_error>
#include <utility>

#include "lib/core/error.hpp"
#include "lib/core/job_hooks.hpp"
#include "lib/files/folder.hpp"
#include "lib/files/output_path.hpp"
#include "lib/job/manifest_file.hpp"
#include "lib/job/merge/merged_manifest.hpp"
#include "lib/json/json.hpp"
#include "lib/json/json_place.hpp"
#include "lib/landmark/face_crops.hpp"
#include "lib/run/track/frame_sequence.hpp"
#include "lib/run/track/track_files.hpp"
#include "lib/run/track/track_job.hpp"
#include "lib/run/track/track_journal.hpp"
#include "lib/run/track/track_manifest.hpp"

namespace fovea {
namespace fs = std::filesystem;
namespace {

fs::path journal_of_tracks(const fs::path& results) {
    return earlier_tracks({results.parent_path()}).journal;
}

constexpr PartKind track_parts{"track", journal_of_tracks, true,
                               "holds no tracks; name the results files of all parts to merge these"};

TrackFolder folder_of(const ShardPart& part) {
    return {part.results.parent_path()};
}

/// A sequence in a part.
struct PartSequence {
    std::size_t position = 0;  ///< of its first frame in the whole list
    std::size_t part = 0;
    SequenceRecord record;
};

/// The sequences of all parts in the order of the list. \throws Error if they are not those of one list
std::vector<PartSequence> sequences_of_parts(const std::vector<ShardPart>& parts) {
    std::vector<PartSequence> sequences;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        PositionCursor positions(parts[i]);
        for (SequenceRecord& record :
             read_sequence_records(JsonPlace(parts[i].manifest, parts[i].manifest_file.string()))) {
            const std::optional<std::size_t> first = positions.next();
            std::optional<std::size_t> last = first;
            for (std::size_t frame = 1; last && frame < record.found.images; ++frame) last = positions.next();
            if (!last || *last - *first + 1 != record.found.images) {
                throw Error("The manifest '" + parts[i].manifest_file.string() +
                            "' has other positions than frames of '" + record.name +
                            "'; make the part again.");
            }
            sequences.push_back({*first, i, std::move(record)});
        }
    }
    std::stable_sort(sequences.begin(), sequences.end(),
                     [](const PartSequence& a, const PartSequence& b) { return a.position < b.position; });
    WholeList list(parts.front().images);
    for (const PartSequence& sequence : sequences)
        list.take(parts[sequence.part], sequence.position, sequence.record.found.images);
    list.check_end();
    return sequences;
}

/// The places of the parts of sequences in the folder of a shard, one sequence after the other.
class PartPlacesInOrder {
  public:
    explicit PartPlacesInOrder(const ShardPart& part) : part_(part), folder_(folder_of(part)) {
        for (const char* name : {part_name::results, part_name::tracks, part_name::table})
            offsets_[name] = head_of_file(name).size();
    }

    PartPlaces next(const SequenceRecord& record, const std::string& stem) {
        PartPlaces places;
        for (const auto& [name, extent] : record.parts) {
            if (is_shared(name)) {
                places[name] = {path_below(folder_.folder, name), offsets_[name]};
                offsets_[name] += extent.bytes;
            } else {
                places[name] = {path_below(folder_.folder, file_of_part(name, stem)), 0};
            }
        }
        if (record.parts.contains(part_name::shown)) return places;
        throw Error("The part " + display_name(part_) +
                    " was not made with --shard: what the page shows of its tracks is not there.");
    }

    /// \throws Error if there is more than the sequences
    void check_end() const {
        for (const auto& [name, offset] : offsets_) {
            std::error_code error;
            if (fs::file_size(folder_.folder / name, error) == offset && !error) continue;
            throw Error("The file '" + (folder_.folder / name).string() + "' has more or fewer bytes than '" +
                        part_.manifest_file.string() + "' says; make the part again.");
        }
    }

  private:
    const ShardPart& part_;
    const TrackFolder folder_;
    std::map<std::string, std::uint64_t> offsets_;
};

/// The manifests of the parts, with what is true of all of them.
Json manifest_of_all(const std::vector<ShardPart>& parts, const TrackJobResult& outcome,
                     const TrackFolder& out) {
    Json json = parts.front().manifest;
    json["command"] = "merge";
    for (const char* key : {"device", "shard", "timings", "annotated"}) json.erase(key);
    set_whole(json, outcome.found.images);
    std::map<std::string, Json> videos;
    for (const ShardPart& part : parts) {
        for (const Json& video : part.manifest.value("videos", Json::array()))
            videos[video.value("video", "")] = video;
    }
    if (!videos.empty()) {
        json["videos"] = Json::array();
        for (const SequenceRecord& sequence : outcome.sequences) {
            if (const auto video = videos.find(sequence.name); video != videos.end())
                json["videos"].push_back(video->second);
        }
    }
    set_found(json, outcome, parts.front().skipped);
    json["files"] = files_to_json(out);
    json["parts"] = parts_to_json(parts, out.folder);
    return json;
}

}  // namespace

MergeResult merge_tracks(const MergeRequest& request, const JobHooks& hooks) {
    const TrackFolder out{request.out};
    MergeResult merged;
    merged.manifest = out.manifest();
    merged.parts = request.parts.size();
    if (!request.features.empty())
        throw UsageError("tracks have no features, so none can be merged; leave --features out");
    hooks.begin_stage("checking");
    std::vector<fs::path> results;
    InputFiles inputs;
    for (const fs::path& part : request.parts) {
        results.push_back(TrackFolder{part}.results());
        inputs.add(files_below(part));
    }
    const std::vector<ShardPart> parts = read_shard_parts(results, track_parts);
    std::vector<PartSequence> sequences = sequences_of_parts(parts);
    check_output_folder(request.out, "--out");
    for (const fs::path& file : {out.results(), out.manifest()})
        check_merged_output(file, earlier_tracks(out).journal, request.overwrite);
    if (!check_parts(parts, false, hooks, merged)) return merged;

    hooks.begin_stage("merging");
    JoinedTracks joined({request.out, inputs});
    std::vector<std::string> names;
    for (const PartSequence& sequence : sequences) names.push_back(sequence.record.name);
    const std::vector<std::string> stems = sequence_stems(names);
    std::vector<PartPlacesInOrder> places(parts.begin(), parts.end());
    TrackJobResult all;
    for (std::size_t i = 0; i < sequences.size(); ++i) {
        merged.interrupted = hooks.is_cancelled();
        if (merged.interrupted) return merged;
        SequenceRecord& record = sequences[i].record;
        joined.add(record, stems[i], places[sequences[i].part].next(record, stems[i]), false);
        merged.add(record.found);
        merged.detections += record.found.boxes;
        hooks.tell({merged.images, parts.front().images});
        all.sequences.push_back(std::move(record));
    }
    for (const PartPlacesInOrder& part : places) part.check_end();
    all.sum_up();
    joined.publish(
        JsonPlace(parts.front().manifest, parts.front().manifest_file.string())["dataset"]["name"].text());
    write_json_file(out.manifest(), manifest_of_all(parts, all, out));
    return merged;
}

}  // namespace fovea
