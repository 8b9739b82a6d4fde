#include <catch2/catch.hpp>

#include "lib/core/error.hpp"
#include "lib/files/file.hpp"
#include "lib/image/colour.hpp"
#include "lib/json/json.hpp"
#include "lib/report/browse/browse_data.hpp"
#include "lib/report/browse/write_browse_page.hpp"
#include "tests/support/temp_dir.hpp"

using namespace fovea;
using namespace fovea::report;
using namespace fovea::test;
using Catch::Contains;

namespace {

const std::string hostile = "Ann </script><script>alert('1')</script> \"q\"\n\xE2\x80\xA8";

Detection face_of(const Box& box, double score, std::optional<int> person, const std::string& apart = "",
                  const std::string& identity = "") {
    Detection face{box, score};
    face.details.edit().person = person;
    face.details.edit().apart = apart;
    face.details.edit().identity = identity;
    return face;
}

/// Person 7 in both photographs, person 2 in one; a face apart.
BrowseArchive small_archive(const KnownPeople& known = {}) {
    BrowseGatherer gatherer(known);
    gatherer.add({.image = "a.jpg",
                  .width = 640,
                  .height = 480,
                  .detections = {face_of({1.4, 2.6, 30, 40}, 0.5, 7),
                                 face_of({9, 9, 8, 8}, 0.25, std::nullopt, "small")}});
    gatherer.add({.image = "b/c d.jpg",
                  .width = 64,
                  .height = 48,
                  .detections = {face_of({5, 6, 10, 10}, 0.123456789, 2), face_of({20, 6, 9, 9}, 0.75, 7)}});
    gatherer.add({.image = "c.jpg", .status = "unreadable: truncated", .detections = {}});
    BrowseArchive archive = gatherer.take();
    archive.images[0].date = 200;
    archive.images[1].date = 100;
    archive.images[1].has_camera_date = true;
    archive.images[0].address = "../photos/a.jpg";
    archive.images[1].address = "../photos/b/c%20d.jpg";
    return archive;
}

/// The data with which a script calls a function.
Json data_of(const std::string& script, const std::string& begin) {
    REQUIRE(script.starts_with(begin));
    REQUIRE(script.ends_with(");\n"));
    return Json::parse(script.substr(begin.size(), script.size() - begin.size() - 3));
}

Json head_of(const std::string& page) {
    const std::string begin = "id=\"report\">";
    const std::size_t at = page.find(begin) + begin.size();
    return Json::parse(page.substr(at, page.find("</script>", at) - at));
}

std::string pgm_of(int value) {
    return "P5\n40 40\n255\n" + std::string(1600, static_cast<char>(value));
}

}  // namespace

TEST_CASE("faces of a page come by person and date, those of nobody last", "[browse]") {
    BrowseArchive archive = small_archive();
    order_faces(archive, {});
    CHECK(data_of(faces_script(archive, 0), "foveaFaces(0,") == Json::parse(R"({
        "image": [1, 0, 1, 0], "place": [1, 0, 0, 1], "x": [20, 1, 5, 9], "y": [6, 3, 6, 9],
        "width": [9, 30, 10, 8], "height": [9, 40, 10, 8], "score": [0.75, 0.5, 0.12346, 0.25],
        "apart": [0, 0, 0, 1]})"));
    CHECK(data_of(images_script(archive, 0, page_root(archive)), "foveaImages(0,") == Json::parse(R"({
        "name": ["a.jpg", "b/c d.jpg", "c.jpg"], "date": [200, 100, 0], "exif": [0, 1, 0],
        "width": [640, 64, 0], "height": [480, 48, 0], "file": [0, 0, ""], "time": [null, null, null]})"));
    const Json head = head_of(browse_page(archive));
    // The face of a.jpg is the more certain large one of person 7: 0.5 * 30 against 0.75 * 9.
    CHECK(head["people"] ==
          Json::parse(R"([{"person": 7, "faces": 2, "cover": 1}, {"person": 2, "faces": 1, "cover": 2}])"));
    CHECK(head["reasons"] == Json::parse(R"(["", "small"])"));
    CHECK(head["unreadable"] == Json::parse(R"([{"image": "c.jpg", "reason": "truncated"}])"));
    CHECK(head["root"] == "../photos");
    CHECK(head["faces"] == 4);
    CHECK_FALSE(head.contains("id"));
    CHECK_FALSE(head.contains("landmarks"));
}

TEST_CASE("people.json gives a page names, covers and its id", "[browse]") {
    const KnownPeople known{"abc",
                            {{7, hostile, "b/c d.jpg", {20, 6, 9, 9}}, {2, "", "b/c d.jpg", {0, 0, 1, 1}}}};
    BrowseArchive archive = small_archive(known);
    archive.title = hostile;
    order_faces(archive, known);
    const std::string page = browse_page(archive);
    CHECK_THAT(page, !Contains("<script>alert") && Contains("default-src 'none'"));
    const Json head = head_of(page);
    CHECK(head["id"] == "abc");
    CHECK(head["title"] == hostile);
    CHECK(head["people"][0] == Json({{"person", 7}, {"name", hostile}, {"faces", 2}, {"cover", 0}}));
    CHECK(head["people"][1] == Json({{"person", 2}, {"faces", 1}, {"cover", 2}}));
}

TEST_CASE("faces of videos have the time of their track on screen", "[browse]") {
    const KnownPeople known{"abc", {}, {{{"v.mp4#3", 4}, {1.5, 62}}, {{"v.mp4#3", 5}, {9, 9}}}};
    BrowseGatherer gatherer(known);
    Detection track = face_of({0, 0, 5, 5}, 1, 7), other = face_of({0, 0, 5, 5}, 0.5, 7);
    track.details.edit().track = 4;
    other.details.edit().track = 6;
    gatherer.add({.image = "v.mp4#3", .detections = {track, other}, .frame = FrameTime{3, 0.12}});
    gatherer.add({.image = "a", .detections = {face_of({0, 0, 5, 5}, 1, 8)}});
    BrowseArchive archive = gatherer.take();
    order_faces(archive, known);
    const Json columns = data_of(faces_script(archive, 0), "foveaFaces(0,");
    CHECK(columns["from"] == Json::parse("[1.5, -1.0, -1.0]"));
    CHECK(columns["to"] == Json::parse("[62.0, -1.0, -1.0]"));
}

TEST_CASE("names of a recogniser group faces without numbers", "[browse]") {
    const KnownPeople nobody;
    BrowseGatherer gatherer(nobody);
    gatherer.add({.image = "a",
                  .detections = {face_of({0, 0, 5, 5}, 1, std::nullopt, "", "Zoe"),
                                 face_of({0, 0, 5, 5}, 1, std::nullopt, "", "Bob"),
                                 face_of({0, 0, 5, 5}, 1, std::nullopt)}});
    BrowseArchive archive = gatherer.take();
    order_faces(archive, {});
    CHECK(
        head_of(browse_page(archive))["people"] ==
        Json::parse(R"([{"name": "Bob", "faces": 1, "cover": 0}, {"name": "Zoe", "faces": 1, "cover": 1}])"));
}

TEST_CASE("data of a page are divided into scripts", "[browse]") {
    BrowseArchive archive;
    archive.images.resize(1);
    archive.images[0].name = hostile + "\xFF";
    archive.faces.resize(browse_chunk + 1);
    archive.faces.back().score = 3;
    CHECK(data_of(faces_script(archive, 0), "foveaFaces(0,")["score"].size() == browse_chunk);
    CHECK(data_of(faces_script(archive, 1), "foveaFaces(1,")["score"] == Json::parse("[3.0]"));
    CHECK(data_of(images_script(archive, 0, ""), "foveaImages(0,")["name"][0] == hostile + "\xEF\xBF\xBD");
    CHECK(data_of(landmarks_script(2, {{}, {{}, {{1.4, 2.6}, {-3, 4}}}}), "foveaLandmarks(2,") ==
          Json::parse("[[], [[], [1, 3, -3, 4]]]"));
    CHECK(browse_file("data", 12, "js") == "data/0012.js");
    CHECK(browse_file("tiles", 12345, "jpg") == "tiles/12345.jpg");
}

TEST_CASE("addresses of photographs are relative to the page", "[browse]") {
    CHECK(browse_address("/a/page", "/a/photos/x.jpg") == "../photos/x.jpg");
    CHECK(browse_address("/a/./page/", "/a/photos/../x y#?%.jpg") == "../x%20y%23%3F%25.jpg");
    CHECK(browse_address("/a", "/a/\xC3\xA9\xFF/(1)!.jpg") == "%C3%A9%FF/(1)!.jpg");
    CHECK(browse_address("page", "javascript:1.jpg") == "../javascript%3A1.jpg");
}

TEST_CASE("a page has sprites of the faces, and says which photographs could not be read", "[browse]") {
    const TempDir folder;
    folder.write("photos/bright.pgm", pgm_of(220));
    folder.write("photos/dark.pgm", pgm_of(40));
    folder.write("photos/broken.pgm", "P5\n40 40\n255\nshort");
    const std::string lines =
        R"({"image":"dark.pgm","width":40,"height":40,"status":"ok","detections":[{"box":[5,5,20,20],"score":1,"landmarks":[[1,2]]}]})"
        "\n"
        R"({"image":"broken.pgm","width":40,"height":40,"status":"ok","detections":[{"box":[5,5,20,20],"score":1}]})"
        "\n"
        R"({"image":"gone.pgm","width":40,"height":40,"status":"ok","detections":[]})"
        "\n"
        R"({"image":"bright.pgm","width":40,"height":40,"status":"ok","detections":[{"box":[5,5,20,20],"score":1}]})"
        "\n";
    const auto results = folder.write("r.jsonl", lines);
    const ImageList images = read_image_list({(folder.path() / "photos").string(), {}, {}});
    const auto page = folder.path() / "page";
    const BrowseArchive archive = write_browse_page(results, {}, images, {}, "photos", page);
    REQUIRE(archive.unreadable.size() == 2);
    CHECK(archive.unreadable[0].image == "broken.pgm");
    CHECK(archive.unreadable[1].image == "gone.pgm");
    CHECK_THAT(archive.unreadable[1].reason, Contains("not among the images"));
    CHECK(data_of(read_file(page / "landmarks/0000.js"), "foveaLandmarks(0,") ==
          Json::parse("[[[1, 2]], [[]], [], [[]]]"));
    for (const BrowseImage& image : archive.images) CHECK((image.date > 0) == (image.name != "gone.pgm"));
    // The order is that of dates, which are those of the files here.
    const cv::Mat tile = read_picture(page / "tiles/0000.jpg");
    REQUIRE(tile.size() == cv::Size(1024, 1024));
    for (int i = 0; i < 3; ++i) {
        const std::string& name = archive.images[archive.faces[static_cast<std::size_t>(i)].image].name;
        const int expected = name == "dark.pgm" ? 40 : name == "bright.pgm" ? 220 : 128;
        CHECK(std::abs(tile.at<cv::Vec3b>(32, 64 * i + 32)[0] - expected) <= 3);
    }
    CHECK(std::abs(tile.at<cv::Vec3b>(500, 500)[1] - 128) <= 3);
    CHECK_FALSE(std::filesystem::exists(page / ".browse-parts"));

    const auto others = folder.write("other.jsonl", R"({"image":"x.jpg","status":"ok","detections":[]})");
    CHECK_THROWS_WITH(write_browse_page(others, {}, images, {}, "photos", folder.path() / "none"),
                      Contains("x.jpg") && Contains("--images"));
}

TEST_CASE("a page of no faces has numbers alone", "[browse]") {
    const TempDir folder;
    folder.write("photos/a.pgm", pgm_of(1));
    const auto results =
        folder.write("r.jsonl", R"({"image":"a.pgm","width":40,"height":40,"status":"ok","detections":[]})");
    const ImageList images = read_image_list({(folder.path() / "photos").string(), {}, {}});
    const auto page = folder.path() / "page";
    const BrowseArchive archive = write_browse_page(results, {}, images, {}, "photos", page);
    CHECK(archive.unreadable.empty());
    CHECK(head_of(read_file(page / "index.html"))["faces"] == 0);
    CHECK(std::filesystem::exists(page / "images/0000.js"));
    CHECK_FALSE(std::filesystem::exists(page / "data"));
    CHECK_FALSE(std::filesystem::exists(page / "tiles"));
}
