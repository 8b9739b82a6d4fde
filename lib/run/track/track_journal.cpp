#include "lib/run/track/track_journal.hpp"

#include <string_view>
#include <utility>

#include "lib/core/error.hpp"
#include "lib/files/disk.hpp"
#include "lib/files/file.hpp"
#include "lib/files/folder.hpp"
#include "lib/files/packed.hpp"
#include "lib/files/staged_files.hpp"
#include "lib/job/manifest_parts.hpp"
#include "lib/json/json.hpp"
#include "lib/json/json_place.hpp"
#include "lib/json/json_text.hpp"

namespace fovea {
namespace fs = std::filesystem;
namespace {

fs::path head_file(const TrackFolder& folder) {
    return folder.journal() / "job";
}

fs::path record_file(const fs::path& sequence) {
    return sequence / "record";
}

/// The text of a record: a line of JSON, and its checksum. \param seed the checksum of the job's description
std::string with_checksum(std::string line, std::uint32_t seed) {
    const std::string checksum = std::to_string(crc32_of(line, seed));
    return std::move(line) + '\n' + checksum + '\n';
}

/// Nothing if it is torn, or of another job.
std::optional<SequenceRecord> record_of(const std::string& text, std::uint32_t seed,
                                        const std::string& origin) {
    const std::string line = text.substr(0, text.find('\n'));
    if (text != with_checksum(line, seed)) return std::nullopt;
    const Json json = parse_json_file(origin, line, "start again with --overwrite");
    const JsonPlace root(json, origin);
    return read_sequence_record(root["sequence"], root["unreadable"].list_of(unreadable_at));
}

}  // namespace

EarlierFiles earlier_tracks(const TrackFolder& folder) {
    EarlierFiles files{folder.results(), head_file(folder), folder.manifest(), {}, false};
    for (const fs::path& file : {folder.results(), folder.tracks(), folder.table()})
        files.outputs.push_back({{file, 0}, {"/files/" + std::to_string(files.outputs.size()) + "/sha256"}});
    return files;
}

TrackJournal::TrackJournal(const TrackFolder& folder, const Json& description, const ImageList& images,
                           bool goes_on)
    : folder_(folder.journal()), seed_(crc32_of(compact_text(description))) {
    if (!goes_on) remove_tree(folder_);
    make_folders_to(head_file(folder), folder.folder, "track");
    head_ = goes_on ? Journal::reopen(head_file(folder), {})
                    : Journal::create(head_file(folder), description, images);
}

fs::path TrackJournal::folder_of(std::size_t number) const {
    return folder_ / std::to_string(number);
}

std::optional<SequenceRecord> TrackJournal::recover(std::size_t number, const std::string& name) const {
    const fs::path folder = folder_of(number);
    const fs::path file = record_file(folder);
    if (!is_file(file)) return std::nullopt;
    std::optional<SequenceRecord> record = record_of(read_file(file, "record"), seed_, file.string());
    if (!record || record->name != name) return std::nullopt;
    const PartPlaces places = SequenceFiles::places(folder, record->parts);
    for (const auto& [part, extent] : record->parts) {
        if (!read_part(places.at(part), extent, [](std::string_view) {})) return std::nullopt;
    }
    return record;
}

void TrackJournal::complete(std::size_t number, const SequenceRecord& record) {
    const Json json{{"sequence", to_json(record)}, {"unreadable", unreadable_json(record.found.unreadable)}};
    write_file(record_file(folder_of(number)), with_checksum(compact_text(json), seed_));
    // Files one by one would take longer than it takes to follow a short sequence.
    constexpr double seconds_between_syncs = 0.5;
    const std::lock_guard lock(mutex_);
    if (since_sync_.seconds() < seconds_between_syncs) return;
    sync_file_system(folder_);
    since_sync_ = {};
}

void TrackJournal::remove() {
    // The rest is no journal without it.
    head_->remove();
    // One by one, so that an error names what cannot be removed.
    for (const fs::path& sequence : entries_of(folder_)) remove_tree(sequence);
    remove_tree(folder_);
}

}  // namespace fovea
