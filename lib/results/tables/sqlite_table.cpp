#include <cmath>
#include <optional>

#include <sqlite3.h>

#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/files/folder.hpp"
#include "lib/files/staged_files.hpp"
#include "lib/json/json.hpp"
#include "lib/json/json_text.hpp"
#include "lib/results/detail_numbers.hpp"
#include "lib/results/tables/results_table.hpp"

namespace fovea {
namespace {

constexpr const char* tables_before_numbers = R"(
CREATE TABLE run(name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE images(
  id INTEGER PRIMARY KEY, image TEXT NOT NULL UNIQUE, frame INTEGER, time REAL, width INTEGER, height INTEGER,
  damaged INTEGER NOT NULL, pages INTEGER NOT NULL, status TEXT NOT NULL);
CREATE TABLE faces(
  id INTEGER PRIMARY KEY, image_id INTEGER NOT NULL REFERENCES images(id), face INTEGER NOT NULL,
  x REAL NOT NULL, y REAL NOT NULL, w REAL NOT NULL, h REAL NOT NULL, score REAL NOT NULL,
)";
constexpr const char* tables_behind_numbers = R"(
  person INTEGER, apart TEXT, identity TEXT, distance REAL, crop TEXT, ellipse TEXT,
  UNIQUE(image_id, face));
CREATE TABLE landmarks(
  face_id INTEGER NOT NULL REFERENCES faces(id), point INTEGER NOT NULL, x REAL NOT NULL, y REAL NOT NULL,
  PRIMARY KEY(face_id, point)) WITHOUT ROWID;
CREATE TABLE candidates(
  face_id INTEGER NOT NULL REFERENCES faces(id), place INTEGER NOT NULL, identity TEXT, image TEXT NOT NULL,
  distance REAL NOT NULL, PRIMARY KEY(face_id, place)) WITHOUT ROWID;
CREATE VIEW face_list AS SELECT images.image, faces.* FROM faces JOIN images ON images.id = faces.image_id;
)";

std::string tables() {
    std::string text = tables_before_numbers;
    for (const DetailNumber& detail : detail_numbers)
        text += std::string(detail.name) + (detail.whole != nullptr ? " INTEGER, " : " REAL, ");
    return text + tables_behind_numbers;
}

// Made of the whole tables at once, which is faster than row by row.
constexpr const char* indexes = R"(
CREATE INDEX faces_by_score ON faces(score);
CREATE INDEX faces_by_identity ON faces(identity) WHERE identity IS NOT NULL;
CREATE INDEX faces_by_person ON faces(person) WHERE person IS NOT NULL;
CREATE INDEX faces_by_track ON faces(track) WHERE track IS NOT NULL;
CREATE INDEX images_by_status ON images(status) WHERE status <> 'ok';
)";

class Database {
  public:
    Database(const std::filesystem::path& file, const std::filesystem::path& shown) : shown_(shown.string()) {
        const int outcome =
            sqlite3_open_v2(file.c_str(), &handle_, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
        if (outcome == SQLITE_OK) return;
        const std::string why = handle_ != nullptr ? sqlite3_errmsg(handle_) : sqlite3_errstr(outcome);
        sqlite3_close(handle_);
        throw Error("The database '" + shown_ + "' cannot be made: " + why + ".");
    }
    ~Database() { sqlite3_close(handle_); }
    Database(const Database&) = delete;
    Database& operator=(const Database&) = delete;

    void run(const std::string& commands) {
        if (sqlite3_exec(handle_, commands.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) fail();
    }
    [[noreturn]] void fail() const {
        throw Error("The database '" + shown_ + "' cannot be written: " + sqlite3_errmsg(handle_) + ".");
    }
    void close() {
        if (sqlite3_close(handle_) != SQLITE_OK) fail();
        handle_ = nullptr;
    }
    sqlite3* handle() const { return handle_; }

  private:
    std::string shown_;
    sqlite3* handle_ = nullptr;
};

/// A prepared INSERT. Values are given in the order of its columns, then insert() takes them.
class Insertion {
  public:
    Insertion(const Database& database, const std::string& table, int columns) : database_(database) {
        std::string command = "INSERT INTO " + table + " VALUES(?";
        for (int i = 1; i < columns; ++i) command += ",?";
        command += ")";
        if (sqlite3_prepare_v2(database_.handle(), command.c_str(), -1, &statement_, nullptr) != SQLITE_OK)
            database_.fail();
    }
    ~Insertion() { sqlite3_finalize(statement_); }
    Insertion(const Insertion&) = delete;
    Insertion& operator=(const Insertion&) = delete;

    Insertion& number(double value) {
        if (!std::isfinite(value)) throw Error("A number of the results is not finite.");
        check(sqlite3_bind_double(statement_, ++column_, value));
        return *this;
    }
    Insertion& integer(std::int64_t value) {
        check(sqlite3_bind_int64(statement_, ++column_, value));
        return *this;
    }
    /// \param text must live until insert().
    Insertion& text(std::string_view text) {
        check(sqlite3_bind_text64(statement_, ++column_, text.data() != nullptr ? text.data() : "",
                                  text.size(), SQLITE_STATIC, SQLITE_UTF8));
        return *this;
    }
    Insertion& null() {
        check(sqlite3_bind_null(statement_, ++column_));
        return *this;
    }
    Insertion& integer_or_null(const std::optional<int>& value) { return value ? integer(*value) : null(); }
    Insertion& number_or_null(const std::optional<double>& value) { return value ? number(*value) : null(); }
    Insertion& text_or_null(const std::string& value) { return value.empty() ? null() : text(value); }

    /// False if the row breaks a constraint.
    bool try_insert() {
        column_ = 0;
        const int outcome = sqlite3_step(statement_);
        if (outcome != SQLITE_DONE && outcome != SQLITE_CONSTRAINT) database_.fail();
        sqlite3_reset(statement_);
        return outcome == SQLITE_DONE;
    }
    void insert() {
        if (!try_insert()) database_.fail();
    }

  private:
    void check(int outcome) const {
        if (outcome != SQLITE_OK) database_.fail();
    }

    const Database& database_;
    sqlite3_stmt* statement_ = nullptr;
    int column_ = 0;
};

std::filesystem::path cleared(const std::filesystem::path& file) {
    std::error_code ignored;
    std::filesystem::remove(file, ignored);
    return file;
}

class SqliteResultsTable final : public ResultsTable {
  public:
    SqliteResultsTable(const std::filesystem::path& file, const RunFacts& facts)
        : staged_(file), database_(cleared(staged_.part()), file) {
        // The part becomes the file when it is whole: nothing need be undone in it.
        database_.run("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA user_version = " +
                      std::to_string(sqlite_schema_version) + "; BEGIN;");
        database_.run(tables());
        rows_.emplace(database_);
        add_fact("format", std::string(results_format_name));
        add_fact("version", std::to_string(results_format_version));
        add_fact("source", valid_utf8(facts.source));
        if (!facts.manifest.empty()) add_fact("manifest", facts.manifest);
    }

    void add(const ImageResult& image) override {
        const std::string name = valid_utf8(image.image), status = valid_utf8(image.status);
        Insertion& row = rows_->images;
        row.integer(++image_id_).text(name);
        if (image.frame) {
            row.integer(image.frame->number).number(image.frame->seconds);
        } else {
            row.null().null();
        }
        const bool has_size = image.width > 0 && image.height > 0;
        row.integer_or_null(has_size ? std::optional(image.width) : std::nullopt)
            .integer_or_null(has_size ? std::optional(image.height) : std::nullopt)
            .integer(image.is_damaged ? 1 : 0)
            .integer(image.pages)
            .text(status);
        if (!row.try_insert()) {
            throw Error("The image '" + excerpt(name) +
                        "' has two records in the results, expected one record per image.");
        }
        for (std::size_t i = 0; i < image.detections.size(); ++i) add_face(image, i);
    }

    void finish() override {
        database_.run(indexes);
        database_.run("COMMIT;");
        rows_.reset();
        database_.close();
        staged_.publish(Durability::at_once);
    }

  private:
    struct Rows {
        explicit Rows(const Database& database)
            : run(database, "run", 2),
              images(database, "images", 9),
              faces(database, "faces", 14 + static_cast<int>(detail_numbers.size())),
              landmarks(database, "landmarks", 4),
              candidates(database, "candidates", 5) {}

        Insertion run, images, faces, landmarks, candidates;
    };

    void add_fact(const std::string& name, const std::string& value) {
        rows_->run.text(name).text(value).insert();
    }

    void add_face(const ImageResult& image, std::size_t i) {
        const Detection& detection = image.detections[i];
        const DetectionDetails& details = *detection.details;
        const Box& box = detection.box;
        const std::string apart = valid_utf8(details.apart), identity = valid_utf8(details.identity);
        const std::string crop = i < image.crops.size() ? valid_utf8(image.crops[i]) : "";
        std::string ellipse;
        if (details.ellipse) {
            const Ellipse& shape = *details.ellipse;
            ellipse = compact_text(Json{shape.centre.x, shape.centre.y, shape.major_radius,
                                        shape.minor_radius, shape.angle_rad});
        }
        Insertion& row = rows_->faces;
        row.integer(++face_id_)
            .integer(image_id_)
            .integer(static_cast<std::int64_t>(i) + 1)
            .number(box.x)
            .number(box.y)
            .number(box.w)
            .number(box.h)
            .number(detection.score);
        for (const DetailNumber& detail : detail_numbers) {
            if (detail.whole != nullptr) {
                row.integer_or_null(details.*detail.whole);
            } else {
                row.number_or_null(details.*detail.real);
            }
        }
        row.integer_or_null(details.person)
            .text_or_null(apart)
            .text_or_null(identity)
            .number_or_null(details.distance)
            .text_or_null(crop)
            .text_or_null(ellipse)
            .insert();
        for (std::size_t k = 0; k < details.landmarks.size(); ++k) {
            const Point& point = details.landmarks[k];
            rows_->landmarks.integer(face_id_)
                .integer(static_cast<std::int64_t>(k))
                .number(point.x)
                .number(point.y)
                .insert();
        }
        for (std::size_t k = 0; k < details.candidates.size(); ++k) {
            const IdentityCandidate& candidate = details.candidates[k];
            const std::string who = valid_utf8(candidate.identity), where = valid_utf8(candidate.image);
            rows_->candidates.integer(face_id_)
                .integer(static_cast<std::int64_t>(k) + 1)
                .text_or_null(who)
                .text(where)
                .number(candidate.distance)
                .insert();
        }
    }

    StagedFile staged_;
    Database database_;
    std::optional<Rows> rows_;
    std::int64_t image_id_ = 0, face_id_ = 0;
};

}  // namespace

std::unique_ptr<ResultsTable> make_sqlite_table(const std::filesystem::path& file, const RunFacts& facts) {
    return std::make_unique<SqliteResultsTable>(file, facts);
}

}  // namespace fovea
