#include "lib/run/track/track_files.hpp"

#include <fstream>
#include <utility>

#include "lib/core/csv.hpp"
#include "lib/core/text.hpp"
#include "lib/files/file.hpp"
#include "lib/files/folder.hpp"
#include "lib/files/output_path.hpp"
#include "lib/files/staged_files.hpp"
#include "lib/job/manifest_file.hpp"
#include "lib/json/json.hpp"
#include "lib/json/json_text.hpp"
#include "lib/landmark/face_crops.hpp"

namespace fovea {
namespace fs = std::filesystem;
namespace {

/// Those of sequences on their way.
fs::path sequence_folder(const TrackFolder& parts) {
    return parts.folder / "sequences";
}

fs::path part_path(const TrackFolder& parts, const fs::path& file, std::size_t number) {
    return sequence_folder(parts) / (file.filename().string() + "." + std::to_string(number));
}

constexpr int face_columns = 7;

CsvRows table_with_heading() {
    return CsvRows({"image", "frame", "time", "track", "x", "y", "w", "h", "score", "followed"});
}

std::string heading_line() {
    return table_with_heading().bytes();
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
    return rows.bytes().substr(heading_line().size());
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

fs::path in_made_folder(const TrackFolder& folder, const fs::path& file) {
    make_folders_to(file, folder.folder, "track");
    return file;
}

/// Whole lines at a time.
void move_lines(const fs::path& from, AppendedFile& to) {
    constexpr std::size_t block = std::size_t{4} << 20;
    std::ifstream file(from, std::ios::binary);
    std::string lines;
    std::vector<char> bytes(block);
    while (file) {
        file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
        lines.append(bytes.data(), static_cast<std::size_t>(file.gcount()));
        const std::size_t end = lines.rfind('\n') + 1;
        to.append(std::string_view(lines).substr(0, end));
        lines.erase(0, end);
    }
    if (!file.eof()) throw Error("cannot read '" + from.string() + "' again");
    file.close();
    remove_file(from);
}

}  // namespace

bool TrackFolder::has_complete_results() const {
    if (!is_file(results()) || !is_file(manifest())) return false;
    const Json earlier = read_manifest(manifest());
    const auto complete = earlier.find("complete");
    return complete != earlier.end() && *complete == true;
}

SequenceFiles::SequenceFiles(const TrackFolder& parts, std::size_t number, std::string stem)
    : stem_(std::move(stem)),
      results_part_(in_made_folder(parts, part_path(parts, parts.results(), number))),
      table_part_(part_path(parts, parts.table(), number)),
      results_(results_part_),
      table_(table_part_),
      mot_(in_made_folder(parts, path_below(parts.mot(), stem_ + ".txt"))) {
    mot_.begin();
}

void SequenceFiles::write(const ImageResult& frame, std::size_t place) {
    results_.append(to_json_line(frame) + "\n");
    table_.append(table_rows(frame));
    mot_.append(mot_lines(frame, place));
}

void SequenceFiles::close() {
    results_.close();
    table_.close();
    mot_.close();
}

TrackFiles::TrackFiles(const OutputFolder& folder)
    : folder_{folder.path()},
      staged_(folder, "track"),
      parts_{staged_.folder()},
      results_(parts_.results()),
      table_(parts_.table()),
      tracks_(parts_.tracks()) {
    for (const fs::path& file :
         {folder_.results(), folder_.tracks(), folder_.table(), folder_.page(), folder_.manifest()})
        folder.inputs().refuse(replaceable_file(file));
    results_.begin();
    tracks_.begin();
    table_.append(heading_line());
}

void TrackFiles::add(std::size_t number, std::unique_ptr<SequenceFiles> files, ShownSequence sequence) {
    files->close();
    write_crops(sequence, files->stem_);
    const std::lock_guard lock(mutex_);
    waiting_.emplace(number, Waiting{std::move(files), std::move(sequence)});
    while (!waiting_.empty() && waiting_.begin()->first == next_) {
        append(waiting_.begin()->second);
        waiting_.erase(waiting_.begin());
        ++next_;
    }
}

void TrackFiles::write_crops(ShownSequence& sequence, const std::string& stem) const {
    for (TrackSummary& track : sequence.tracks) {
        if (!track.best || track.best->crop.empty()) continue;
        const fs::path file = path_below(parts_.faces(), stem + "-" + std::to_string(track.track) + ".png");
        write_file(in_made_folder(parts_, file), png_of(track.best->crop));
        track.crop = file.lexically_relative(parts_.folder).generic_string();
    }
}

void TrackFiles::append(Waiting& done) {
    move_lines(done.files->results_part_, results_);
    move_lines(done.files->table_part_, table_);
    for (const TrackSummary& track : done.sequence.tracks)
        tracks_.append(compact_text(to_json(track)) + "\n");
    shown_.push_back(std::move(done.sequence));
}

void TrackFiles::close(const std::string& title) {
    const std::lock_guard lock(mutex_);
    for (auto& [number, done] : waiting_) append(done);
    waiting_.clear();
    for (AppendedFile* file : {&results_, &table_, &tracks_}) {
        file->sync();
        file->close();
    }
    write_file(parts_.page(), track_job_page(title, shown_));
}

void TrackFiles::publish() {
    remove_tree(sequence_folder(parts_));
    remove_stale_manifest(folder_.manifest());
    staged_.publish();
}

}  // namespace fovea
