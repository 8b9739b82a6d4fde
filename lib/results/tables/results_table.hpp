#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "lib/results/results.hpp"

namespace fovea {

/// Results written as a table, image by image: memory does not depend on how many there are. The file takes
/// its place when it is finished; before, it lies beside as part_of() it, and nothing is left of it if it
/// does not come to that.
class ResultsTable {
  public:
    virtual ~ResultsTable() = default;
    /// \throws Error if the disk is full or the file fails, or a number is not finite.
    virtual void add(const ImageResult& image) = 0;
    /// Once, at the end. \throws Error as add
    virtual void finish() = 0;
};

/// CSV (RFC 4180) with a heading and a row per face: image, frame, time, image_width, image_height, damaged
/// (1 or nothing), pages (if its file has several), status, face (from 1), x, y, w, h, score, track,
/// followed, neighbors, stage, stage_sum, identity, distance, crop, ellipse, landmarks, candidates; the last
/// three as JSON, as results.jsonl has them. An image without a face, readable or not, has one row without
/// "face" and what follows it. Texts are written as by csv_cell(). \param file "-" is standard output; a
/// device or a pipe gets the rows as they come. \throws UsageError, Error if it cannot be opened.
std::unique_ptr<ResultsTable> make_csv_table(const std::filesystem::path& file);

/// Rows of the table `run` of an SQLite database.
struct RunFacts {
    std::string source;    ///< the results, as the user named them
    std::string manifest;  ///< JSON; empty: there is none
};

/// The version of the tables of make_sqlite_table(), its PRAGMA user_version.
constexpr int sqlite_schema_version = 2;

/// An SQLite database with the tables
/// - images: id, image (unique), frame, time, width, height, damaged (0 or 1), pages, status
/// - faces: id, image_id, face (from 1 in its image), x, y, w, h, score, track, followed, neighbors, stage,
///   stage_sum, identity, distance, crop, ellipse (JSON)
/// - landmarks: face_id, point (from 0), x, y
/// - candidates: face_id, place (from 1), identity, image, distance
/// - run: name, value: format, version, source, and manifest if there is one
///
/// and the view face_list, which has the name of each face's image. A value that a result does not have is
/// NULL. \throws UsageError, Error if the file cannot be made. add() throws Error for a second record of an
/// image.
std::unique_ptr<ResultsTable> make_sqlite_table(const std::filesystem::path& file, const RunFacts& facts);

}  // namespace fovea
