#include "lib/results/tables/results_table.hpp"

#include <limits>

#include <catch2/catch.hpp>
#include <sqlite3.h>

#include "lib/core/error.hpp"
#include "lib/files/file.hpp"
#include "lib/results/formats/read_results.hpp"
#include "tests/support/temp_dir.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Contains;

namespace {

// An image with all that results may hold, one without a face, an unreadable one.
std::vector<ImageResult> all_kinds() {
    std::vector<ImageResult> images(3);
    ImageResult& full = images[0];
    full.image = "a, \"b\"\nc %E9.jpg";
    full.frame = FrameTime{3, 0.125};
    full.width = 640;
    full.height = 480;
    full.is_damaged = true;
    full.detections.resize(2);
    full.detections[0].box = {0.1, -2.5, 30, 40};
    full.detections[0].score = 1e-7;
    full.detections[1].box = {1, 2, 3, 4};
    full.detections[1].score = 12;
    DetectionDetails& details = full.detections[1].details.edit();
    details.track = 0;
    details.followed = 2;
    details.neighbors = 3;
    details.stage = -1;
    details.stage_sum = -0.25;
    details.yaw = 30.5;
    details.sharpness = 7;
    details.person = 4;
    details.apart = "=alone";
    details.identity = "=Ann";
    details.distance = 0.5;
    details.ellipse = Ellipse{{1, 2}, 5, 4, 0.5};
    details.landmarks = {{1, 2}, {3.5, 4}};
    details.candidates = {{"=Ann", "g,1.png", 0.5}, {"", "2.png", 3}};
    full.crops = {"", "a-2.jpg"};
    images[1].image = " blanks ";
    images[1].width = images[1].height = 9;
    images[1].pages = 3;
    images[2].image = "-x.jpg";
    images[2].status = "unreadable: truncated, \"JPEG\"\n";
    return images;
}

std::vector<std::string> lines_of(const std::vector<ImageResult>& images) {
    std::vector<std::string> lines;
    for (const ImageResult& image : images) lines.push_back(to_json_line(image));
    return lines;
}

void write(ResultsTable& table, const std::vector<ImageResult>& images) {
    for (const ImageResult& image : images) table.add(image);
    table.finish();
}

// The values of one row after the other, "NULL" where there is none.
std::vector<std::string> query(const std::filesystem::path& file, const std::string& command) {
    sqlite3* database = nullptr;
    REQUIRE(sqlite3_open_v2(file.c_str(), &database, SQLITE_OPEN_READONLY, nullptr) == SQLITE_OK);
    std::vector<std::string> values;
    const auto take = [](void* to, int columns, char** texts, char**) {
        for (int i = 0; i < columns; ++i)
            static_cast<std::vector<std::string>*>(to)->emplace_back(texts[i] != nullptr ? texts[i] : "NULL");
        return 0;
    };
    const int outcome = sqlite3_exec(database, command.c_str(), take, &values, nullptr);
    CHECK(outcome == SQLITE_OK);
    sqlite3_close(database);
    return values;
}

using Values = std::vector<std::string>;

}  // namespace

TEST_CASE("a CSV table has a row per face and is read back with all that it holds", "[results][csv]") {
    const TempDir folder;
    const auto file = folder.path() / "t.csv";
    const std::vector<ImageResult> images = all_kinds();
    write(*make_csv_table(file), images);
    CHECK_FALSE(std::filesystem::exists(folder.path() / "t.csv.part"));
    const std::string bytes = read_file(file);
    CHECK(bytes.starts_with(
        "image,frame,time,image_width,image_height,damaged,pages,status,face,x,y,w,h,score,track,followed,"
        "neighbors,"
        "stage,stage_sum,yaw,sharpness,person,apart,identity,distance,crop,ellipse,landmarks,candidates\n"
        "\"a, \"\"b\"\"\nc %E9.jpg\",3,0.125,640,480,1,,ok,1,0.1,-2.5,30,40,1e-07,,,,,,,,,,,,,,,\n"
        "\"a, \"\"b\"\"\nc "
        "%E9.jpg\",3,0.125,640,480,1,,ok,2,1,2,3,4,12,0,2,3,-1,-0.25,30.5,7,4,\"'=alone\",\"'=Ann\",0.5,a-2."
        "jpg,"));
    CHECK_THAT(bytes, Contains("\n\" blanks \",,,9,9,,3,ok" + std::string(21, ',') + "\n"));
    const DetectionResults back = read_results(file.string());
    CHECK(lines_of(back.images) == lines_of(images));
    CHECK(back.records_every_image);
    CHECK_FALSE(back.has_corner_columns);
}

TEST_CASE("an SQLite table holds images, faces, landmarks and the facts of the run", "[results][sqlite]") {
    const TempDir folder;
    const auto file = folder.write("t.sqlite", "an older file");
    const std::vector<ImageResult> images = all_kinds();
    write(*make_sqlite_table(file, {"r.jsonl", R"({"command":"detect"})"}), images);
    CHECK(query(file, "PRAGMA user_version") == Values{"4"});
    CHECK(query(file, "PRAGMA integrity_check") == Values{"ok"});
    CHECK(query(file, "PRAGMA foreign_key_check").empty());
    CHECK(query(file,
                "SELECT image, frame, time, width, height, damaged, pages, status FROM images ORDER BY id") ==
          Values{"a, \"b\"\nc %E9.jpg",
                 "3",
                 "0.125",
                 "640",
                 "480",
                 "1",
                 "1",
                 "ok",  //
                 " blanks ",
                 "NULL",
                 "NULL",
                 "9",
                 "9",
                 "0",
                 "3",
                 "ok",  //
                 "-x.jpg",
                 "NULL",
                 "NULL",
                 "NULL",
                 "NULL",
                 "0",
                 "1",
                 "unreadable: truncated, \"JPEG\"\n"});
    CHECK(query(file, "SELECT image, face, x, y, w, h, score, track, crop FROM face_list ORDER BY id") ==
          Values{"a, \"b\"\nc %E9.jpg", "1", "0.1", "-2.5", "30.0", "40.0", "1.0e-07", "NULL", "NULL",  //
                 "a, \"b\"\nc %E9.jpg", "2", "1.0", "2.0", "3.0", "4.0", "12.0", "0", "a-2.jpg"});
    CHECK(query(file,
                "SELECT followed, neighbors, stage, stage_sum, yaw, sharpness, person, apart, identity, "
                "distance, "
                "json_extract(ellipse, '$[4]') FROM faces WHERE face = 2") ==
          Values{"2", "3", "-1", "-0.25", "30.5", "7.0", "4", "=alone", "=Ann", "0.5", "0.5"});
    CHECK(query(file, "SELECT face_id, point, x, y FROM landmarks") ==
          Values{"2", "0", "1.0", "2.0", "2", "1", "3.5", "4.0"});
    CHECK(query(file, "SELECT place, identity, image, distance FROM candidates") ==
          Values{"1", "=Ann", "g,1.png", "0.5", "2", "NULL", "2.png", "3.0"});
    CHECK(query(file, "SELECT value FROM run ORDER BY name") ==
          Values{"fovea-results", R"({"command":"detect"})", "r.jsonl", "1"});
    CHECK(
        query(file, "EXPLAIN QUERY PLAN SELECT * FROM faces WHERE score > 3").back().find("faces_by_score") !=
        std::string::npos);
}

TEST_CASE("tables that fail leave nothing behind", "[results][csv][sqlite]") {
    const TempDir folder;
    const auto csv = folder.path() / "t.csv", sqlite = folder.path() / "t.sqlite";
    ImageResult bad;
    bad.image = "a";
    bad.detections.resize(1);
    bad.detections[0].score = std::numeric_limits<double>::infinity();
    CHECK_THROWS_AS(make_csv_table(csv)->add(bad), Error);
    CHECK_THROWS_AS(make_sqlite_table(sqlite, {})->add(bad), Error);
    bad.detections.clear();
    const auto table = make_sqlite_table(sqlite, {});
    table->add(bad);
    CHECK_THROWS_WITH(table->add(bad), Contains("'a' has two records"));
    make_csv_table(csv)->add(bad);
    CHECK_FALSE(std::filesystem::exists(csv));
    CHECK_FALSE(std::filesystem::exists(csv.string() + ".part"));
    CHECK_FALSE(std::filesystem::exists(sqlite));
    CHECK_THROWS_WITH(make_sqlite_table(folder.path() / "no/t.sqlite", {}), Contains("cannot be made"));
}
