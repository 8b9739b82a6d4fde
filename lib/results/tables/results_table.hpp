#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "lib/results/results.hpp"

namespace fovea {

/// Writes results as a table, image by image: memory does not depend on their number. finish() gives the file
/// its name; before that it is part_of() it, and without it nothing remains.
class ResultsTable {
  public:
    virtual ~ResultsTable() = default;
    /// Adds the rows of an image. \throws Error if the disk is full or the file fails, or a number is
    /// not finite.
    virtual void add(const ImageResult& image) = 0;
    /// Completes the file. Call it once, at the end. \throws Error as add()
    virtual void finish() = 0;
};

/// Makes a CSV file (RFC 4180) with a heading and a row per face: image, frame, time, image_width,
/// image_height, damaged (1 or nothing), pages (if the file has several), status, face (from 1), x, y, w, h,
/// score, the detail_numbers, person, apart, identity, distance, crop, ellipse, landmarks, candidates. The
/// last three are JSON as in results.jsonl. An image without a face, readable or not, has one row, empty from
/// "face" on. Texts are csv_cell(). \param file "-" is standard output; a device or a pipe gets the rows as
/// they come. \throws UsageError, Error if it cannot be opened.
std::unique_ptr<ResultsTable> make_csv_table(const std::filesystem::path& file);

/// Rows of the table `run` of an SQLite database.
struct RunFacts {
    std::string source;    ///< the results, as the user named them
    std::string manifest;  ///< JSON; empty: there is none
};

/// The version of the tables of make_sqlite_table(), its PRAGMA user_version.
constexpr int sqlite_schema_version = 4;

/// Makes an SQLite database with the tables
/// - images: id, image (unique), frame, time, width, height, damaged (0 or 1), pages, status
/// - faces: id, image_id, face (from 1 in its image), x, y, w, h, score, the detail_numbers, person,
///   apart, identity, distance, crop, ellipse (JSON)
/// - landmarks: face_id, point (from 0), x, y
/// - candidates: face_id, place (from 1), identity, image, distance
/// - run: name, value: format, version, source, and manifest if there is one
///
/// and the view face_list, which has the name of each face's image. Absent values are NULL. add() throws
/// Error for a second record of an image. \throws UsageError, Error if the file cannot be made.
std::unique_ptr<ResultsTable> make_sqlite_table(const std::filesystem::path& file, const RunFacts& facts);

}  // namespace fovea
