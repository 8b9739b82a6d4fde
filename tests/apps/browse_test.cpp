#include <filesystem>
#include <set>

#include <catch2/catch.hpp>

#include "lib/json/json.hpp"
#include "tests/apps/refusal.hpp"
#include "tests/support/edge_scene.hpp"
#include "tests/support/run_program.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Contains;

namespace fs = std::filesystem;

namespace {

/// Two photographs, and what `fovea people` says of them.
struct PeopleOfPhotos : PhotoFolder {
    PeopleOfPhotos() : PhotoFolder({{"a.pgm", noise_pgm(64, 48, 1)}, {"b.pgm", noise_pgm(64, 48, 2)}}) {
        folder.write(
            "people/results.jsonl",
            R"({"image":"a.pgm","width":64,"height":48,"status":"ok","detections":[)"
            R"({"box":[10,10,20,20],"score":1,"person":3}]})"
            "\n"
            R"({"image":"b.pgm","width":64,"height":48,"status":"ok","detections":[)"
            R"({"box":[10,10,20,20],"score":1,"person":3},{"box":[1,1,5,5],"score":0.5,"apart":"small"}]})"
            "\n");
        folder.write(
            "people/people.json",
            R"({"format":"fovea-people","version":1,"id":"abc","work":{},"grouping":{},"distance":0.5,"parts":1,)"
            R"("last_person":3,"faces":3,"apart":{"small":1},"people":[{"person":3,"name":"Ann",)"
            R"("named_by":"user","faces":2,"images":2,"image":"a.pgm","box":[10,10,20,20]}]})");
        folder.write("people/run.json",
                     Json{{"configuration", {{"dataset", {{"path", path("photos")}}}}}}.dump());
    }
};

std::set<std::string> page_files(const fs::path& folder) {
    std::set<std::string> names;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
        if (entry.is_regular_file()) names.insert(entry.path().lexically_relative(folder).generic_string());
    }
    return names;
}

}  // namespace

TEST_CASE("browse makes a page of a folder of people", "[cli][browse]") {
    const PeopleOfPhotos photos;
    const std::vector<std::string> command{"browse", photos.path("people"), "--out", photos.path("page")};
    const ProgramResult result = run_fovea(command);
    CAPTURE(result.err);
    REQUIRE(result.exit_code == 0);
    CHECK(result.out == "2 images with 3 faces, 1 person: " + photos.path("page/index.html") + "\n");
    const std::set<std::string> expected{".browse-files",  "covers/0000.jpg", "data/0000.js",
                                         "images/0000.js", "index.html",      "tiles/0000.jpg"};
    CHECK(page_files(photos.path("page")) == expected);
    CHECK_THAT(read_bytes(photos.path("page/index.html")),
               Contains(R"("name":"Ann")") && Contains(R"("id":"abc")"));
    CHECK_THAT(read_bytes(photos.path("page/images/0000.js")), Contains(R"(["a.pgm","b.pgm"])"));
    // Somebody may have put files of their own there.
    CHECK_THAT(refusal_of(command), Contains("--overwrite"));
    photos.folder.write("page/mine.txt", "mine");
    ProgramResult again = run_fovea({"browse", photos.path("people/results.jsonl"), "--out",
                                     photos.path("page"), "--overwrite", "--json"});
    CHECK(again.exit_code == 0);
    CHECK(Json::parse(again.out)["people"] == 1);
    CHECK(read_bytes(photos.path("page/mine.txt")) == "mine");
}

TEST_CASE("browse tells of photographs that cannot be read", "[cli][browse]") {
    const PeopleOfPhotos photos;
    photos.folder.write("photos/b.pgm", "no image");
    const ProgramResult result =
        run_fovea({"browse", photos.path("people"), "--out", photos.path("page"), "--json"});
    CHECK(result.exit_code == 3);
    const Json json = Json::parse(result.out);
    CHECK(json["faces"] == 3);
    CHECK(json["unreadable_images"][0]["image"] == "b.pgm");
}

TEST_CASE("browse says what it lacks", "[cli][browse]") {
    const PeopleOfPhotos photos;
    CHECK_THAT(refusal_of({"browse", photos.path("none.jsonl"), "--out", photos.path("page")}),
               Contains("none.jsonl"));
    fs::remove(photos.path("people/run.json"));
    CHECK_THAT(refusal_of({"browse", photos.path("people"), "--out", photos.path("page")}),
               Contains("--images"));
    const ProgramResult named = run_fovea(
        {"browse", photos.path("people"), "--images", photos.path("photos"), "--out", photos.path("page")});
    CHECK(named.exit_code == 0);
    // The page would replace the results that it shows.
    CHECK_FALSE(fs::exists(photos.path("page/results.jsonl")));
}
