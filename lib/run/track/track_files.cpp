#include "lib/run/track/track_files.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "lib/core/csv.hpp"
#include "lib/core/text.hpp"
#include "lib/files/file.hpp"
#include "lib/files/folder.hpp"
#include "lib/files/output_path.hpp"
#include "lib/files/packed.hpp"
#include "lib/job/manifest_file.hpp"
#include "lib/json/json_member.hpp"
#include "lib/json/json_text.hpp"
#include "lib/landmark/face_crops.hpp"
#include "lib/run/track/decision_lines.hpp"
#include "lib/run/track/shown_tracks.hpp"

namespace fovea {
namespace fs = std::filesystem;
namespace {

constexpr int face_columns = 7;

CsvRows table_with_heading() {
    return CsvRows({"image", "frame", "time", "track", "x", "y", "w", "h", "score", "followed"});
}

void add_frame(CsvRows& rows, const ImageResult& frame) {
    rows.text(frame.image);
    if (frame.frame)
        rows.number(static_cast<double>(frame.frame->number)).number(frame.frame->seconds);
    else
        rows.empty().empty();
}

/// A row for each face; a frame without faces has one, too.
std::string table_rows(const ImageResult& frame) {
    CsvRows rows = table_with_heading();
    for (const Detection& face : frame.detections) {
        add_frame(rows, frame);
        rows.number(face.details->track.value());
        for (const double value : {face.box.x, face.box.y, face.box.w, face.box.h, face.score})
            rows.number(value);
        rows.number(face.details->followed.value_or(0)).end_row();
    }
    if (frame.detections.empty()) {
        add_frame(rows, frame);
        for (int i = 0; i < face_columns; ++i) rows.empty();
        rows.end_row();
    }
    return rows.bytes().substr(head_of_file(part_name::table).size());
}

/// MOTChallenge's results: frames count from 1.
std::string mot_lines(const ImageResult& frame, std::size_t place) {
    const std::string number =
        std::to_string(frame.frame ? frame.frame->number + 1 : static_cast<std::int64_t>(place) + 1);
    std::string lines;
    for (const Detection& face : frame.detections) {
        lines += number + "," + std::to_string(face.details->track.value());
        for (const double value : {face.box.x, face.box.y, face.box.w, face.box.h, face.score})
            lines += "," + shortest_number(value);
        lines += ",-1,-1,-1\n";
    }
    return lines;
}

/// The parts that are not written frame by frame, in the order of their names.
constexpr const char* rest_file = "rest";
constexpr const char* mot_file = "mot.txt";

const fs::path& in_emptied_folder(const fs::path& folder) {
    remove_tree(folder);
    make_folders_to(folder / rest_file, folder, "track");
    return folder;
}

fs::path in_made_folder(const TrackFolder& folder, const fs::path& file) {
    make_folders_to(file, folder.folder, "track");
    return file;
}

}  // namespace

bool TrackFolder::has_complete_results() const {
    if (!is_file(results()) || !is_file(manifest())) return false;
    const Json earlier = read_manifest(manifest());
    return member_of(earlier, "complete") == true;
}

SequenceFiles::SequenceFiles(fs::path folder, bool explains)
    : results_(in_emptied_folder(folder) / part_name::results),
      table_(folder / part_name::table),
      mot_(folder / mot_file),
      rest_(folder / rest_file) {
    if (explains) decisions_.emplace(folder / part_name::decisions);
}

void SequenceFiles::write(const ImageResult& frame, std::size_t place,
                          std::span<const TrackDecision> decisions) {
    if (decisions_) decisions_->append(decision_lines(frame, decisions));
    results_.append(to_json_line(frame) + "\n");
    table_.append(table_rows(frame));
    mot_.append(mot_lines(frame, place));
}

std::map<std::string, FileExtent> SequenceFiles::finish(std::vector<TrackSummary> tracks,
                                                        const std::string& stem) {
    std::map<std::string, std::string> rest;
    std::string& lines = rest[part_name::tracks];
    for (TrackSummary& track : tracks) {
        if (track.best && !track.best->crop.empty()) {
            const std::string part = part_name::face(track.track);
            rest[part] = png_of(track.best->crop);
            track.crop = file_of_part(part, stem);
        }
        lines += compact_text(to_json(track)) + "\n";
    }
    rest[part_name::shown] = shown_tracks_bytes(tracks);
    std::map<std::string, FileExtent> parts{{part_name::results, results_.extent()},
                                            {part_name::table, table_.extent()},
                                            {part_name::mot, mot_.extent()}};
    if (decisions_) {
        parts[part_name::decisions] = decisions_->extent();
        decisions_->close();
    }
    for (const auto& [part, bytes] : rest) {
        rest_.append(bytes);
        parts[part] = {bytes.size(), crc32_of(bytes)};
    }
    for (AppendedFile* file : {&results_, &table_, &mot_, &rest_}) file->close();
    return parts;
}

PartPlaces SequenceFiles::places(const fs::path& folder, const std::map<std::string, FileExtent>& parts) {
    PartPlaces places;
    std::uint64_t offset = 0;
    for (const auto& [part, extent] : parts) {
        const bool is_alone = part == part_name::results || part == part_name::table ||
                              part == part_name::mot || part == part_name::decisions;
        if (is_alone) {
            places[part] = {folder / (part == part_name::mot ? mot_file : part), 0};
        } else {
            places[part] = {folder / rest_file, offset};
            offset += extent.bytes;
        }
    }
    return places;
}

JoinedTracks::JoinedTracks(const OutputFolder& folder)
    : folder_{folder.path()},
      staged_(folder, "track"),
      parts_{staged_.folder()},
      results_(parts_.results()),
      tracks_(parts_.tracks()),
      table_(parts_.table()) {
    for (const fs::path& file : {folder_.results(), folder_.tracks(), folder_.table(), folder_.decisions(),
                                 folder_.page(), folder_.manifest()})
        folder.inputs().refuse(replaceable_file(file));
    for (AppendedFile* file : {&results_, &tracks_, &table_}) file->begin();
    table_.append(head_of_file(part_name::table));
}

AppendedFile& JoinedTracks::shared(const std::string& part) {
    if (part == part_name::results) return results_;
    if (part == part_name::tracks) return tracks_;
    if (part == part_name::table) return table_;
    if (part == part_name::decisions) {
        if (!decisions_) decisions_.emplace(parts_.decisions()).begin();
        return *decisions_;
    }
    throw Error("a part of '" + excerpt(part) + "' belongs to no file of tracks; make its sequence again");
}

void JoinedTracks::add(SequenceRecord& record, const std::string& stem, const PartPlaces& places,
                       bool keeps_shown) {
    std::string shown;
    for (const auto& [part, extent] : record.parts) {
        const PartPlace& place = places.at(part);
        std::optional<AppendedFile> own;
        AppendedFile* file = nullptr;
        if (is_shared(part)) {
            file = &shared(part);
        } else if (part != part_name::shown || keeps_shown) {
            own.emplace(in_made_folder(parts_, path_below(parts_.folder, file_of_part(part, stem))));
            own->begin();
            file = &*own;
        }
        const bool is_on_page = part == part_name::shown && room_ > 0;
        if (!read_part(place, extent, [&](std::string_view bytes) {
                if (file != nullptr) file->append(bytes);
                if (is_on_page) shown += bytes;
            })) {
            throw Error("The file '" + place.file.string() +
                        "' was changed or cut off since its sequence was followed; follow it again.");
        }
        if (own) own->close();
    }
    ShownSequence sequence{record.name, record.found.images,  {},
                           0,           record.first_seconds, record.last_seconds};
    if (!shown.empty()) sequence.tracks = read_shown_tracks(shown, places.at(part_name::shown).file.string());
    sequence.tracks_left_out = record.found.tracks - std::min(record.found.tracks, sequence.tracks.size());
    room_ -= std::min(room_, sequence.tracks.size());
    shown_.push_back(std::move(sequence));
    if (!keeps_shown) record.parts.erase(part_name::shown);
}

void JoinedTracks::publish(const std::string& specification) {
    for (AppendedFile* file : {&results_, &tracks_, &table_}) {
        file->sync();
        file->close();
    }
    if (decisions_) {
        decisions_->sync();
        decisions_->close();
    }
    write_file(parts_.page(), track_job_page("Faces followed in " + specification, shown_));
    remove_stale_manifest(folder_.manifest());
    staged_.publish();
}

std::string head_of_file(const std::string& part) {
    return part == part_name::table ? table_with_heading().bytes() : std::string();
}

}  // namespace fovea
