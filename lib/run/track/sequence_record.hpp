#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "lib/files/appended_file.hpp"
#include "lib/json/json_fwd.hpp"
#include "lib/results/tally.hpp"

namespace fovea {

class JsonPlace;

/// The counts of one sequence, or of all of a job.
struct FollowedCounts : ImageCounts {
    std::size_t tracks = 0;
    std::size_t boxes = 0;     ///< of faces, in all frames
    std::size_t detected = 0;  ///< boxes that are detections; the others were followed
    std::size_t named = 0;     ///< tracks with an identity

    void add(const FollowedCounts& other);
};

/// A sequence that was followed: its counts, and the parts that it has in the files of its job.
struct SequenceRecord {
    std::string name;
    FollowedCounts found{};
    /// Times of its first and last frame; both 0 where frames have none.
    double first_seconds = 0;
    double last_seconds = 0;
    /// Length and checksum of each part by the name of its file, see part_name: "results.jsonl", "mot/*.txt".
    std::map<std::string, FileExtent> parts{};
};

/// The names of parts. A file that all sequences share has its own name; in the name of a file of one
/// sequence, '*' stands for the sequence.
namespace part_name {
inline constexpr const char* results = "results.jsonl";
inline constexpr const char* tracks = "tracks.jsonl";
inline constexpr const char* table = "tracks.csv";
/// The decisions on each track: see decision_lines(). Only with TrackConfig::explain.
inline constexpr const char* decisions = "decisions.jsonl";
inline constexpr const char* mot = "mot/*.txt";
/// The tracks as the page shows them: see shown_tracks_bytes(). Among complete jobs, only shards keep
/// this part.
inline constexpr const char* shown = "shown/*.bin";
/// The picture of a track.
std::string face(int track);
}  // namespace part_name

/// True for the part of a file that all sequences share.
bool is_shared(const std::string& part);
/// The name of a sequence's own file, relative to the results. \param stem of the sequence: crop_stems().
std::string file_of_part(std::string part, const std::string& stem);

/// Reads an entry of unreadable_json().
UnreadableImage unreadable_at(const JsonPlace& place);

/// For run.json; unreadable images are a number.
Json to_json(const SequenceRecord& record);
/// Reads to_json(). \param unreadable of this sequence. \throws what JsonPlace throws.
SequenceRecord read_sequence_record(const JsonPlace& place, std::vector<UnreadableImage> unreadable);

/// Reads the records of a manifest, with the reasons of its unreadable images. \throws what JsonPlace throws.
std::vector<SequenceRecord> read_sequence_records(const JsonPlace& manifest);

/// The place where a part begins.
struct PartPlace {
    std::filesystem::path file;
    std::uint64_t offset = 0;
};
using PartPlaces = std::map<std::string, PartPlace>;  // by the names of parts

/// Hands the bytes of a part to `take`, in blocks. \return false if they are not there, or have another
/// checksum. \throws Error if the file cannot be read.
bool read_part(const PartPlace& place, const FileExtent& extent,
               const std::function<void(std::string_view bytes)>& take);

}  // namespace fovea
