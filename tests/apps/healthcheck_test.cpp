#include <cstdlib>

#include <catch2/catch.hpp>

#include "lib/json/json.hpp"
#include "tests/support/edge_scene.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/temp_dir.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Contains;

namespace {

struct Files {
    Files() {
        folder.write("train/ann/1.pgm", noise_pgm(30, 30, 1));
        folder.write("train/bob/1.pgm", noise_pgm(30, 30, 2));
        folder.write("test/ann/9.pgm", noise_pgm(30, 30, 3));
        folder.write("test/eve/1.pgm", noise_pgm(30, 30, 2));  // bob's picture
    }
    std::string path(const std::string& name) const { return (folder.path() / name).string(); }

    TempDir folder;
};

}  // namespace

TEST_CASE("healthcheck of a sound dataset ends with 0", "[healthcheck]") {
    const Files f;
    const ProgramResult result = run_fovea({"healthcheck", "folder:" + f.path("train")});
    CAPTURE(result.err);
    CHECK(result.exit_code == 0);
    CHECK(result.out == "2 images: no fault was found\n");
    const ProgramResult listed = run_fovea({"healthcheck", "folder:" + f.path("train"), "--no-images"});
    CHECK(listed.out == "2 images: no fault was found; the images were not read\n");
}

TEST_CASE("healthcheck finds what is wrong and ends with 3", "[healthcheck]") {
    const Files f;
    f.folder.write("set/a.pgm", noise_pgm(30, 30, 1));
    f.folder.write("set/b.pgm", noise_pgm(30, 30, 1));
    f.folder.write("set/c.pgm", "no image");
    const auto list = f.folder.write("set/faces.xml",
                                     "<dataset><images><image file='a.pgm'><box top='0' left='20' width='20' "
                                     "height='15'/></image><image file='b.pgm'/><image file='c.pgm'/>"
                                     "<image file='d.pgm'/></images></dataset>");
    const auto results = f.folder.write("found.txt", "a.pgm 1 1 5 5 1\na.pgm 2 2 5 5 2\nx.pgm 1 1 5 5 1\n");
    const ProgramResult result =
        run_fovea({"healthcheck", "dlib:" + list.string(), "--results", results.string(), "--json"});
    CAPTURE(result.err);
    CHECK(result.exit_code == 3);
    const Json json = Json::parse(result.out);
    CHECK(json["exit_code"] == 3);
    CHECK(json["datasets"][0]["images"] == 4);
    CHECK(json["images_read"] == true);
    const Json& counts = json["counts"];
    for (const char* kind : {"missing_image", "unreadable_image", "duplicate_image", "box_partly_outside",
                             "unsorted_scores", "unknown_image"}) {
        CAPTURE(kind);
        CHECK(counts[kind] == 1);
    }
    CHECK(counts["image_without_result"] == 0);  // text leaves out images without detections
    CHECK(json["findings"].size() == 6);
    CHECK(json["findings"][0]["kind"] == "box_partly_outside");
    CHECK(json["findings"][0]["image"] == "a.pgm");

    f.folder.write("pictures/a.pgm", noise_pgm(30, 30, 1));
    f.folder.write("pictures/b.psd", "x");
    f.folder.write("pictures/c.txt", "x");
    const ProgramResult formats = run_fovea({"healthcheck", f.path("pictures")});
    CHECK(formats.exit_code == 3);
    CHECK_THAT(formats.out,
               Contains("formats not read  1  *.psd (1 file)") && Contains("1 image: 1 finding"));

    const ProgramResult table = run_fovea({"healthcheck", "dlib:" + list.string()});
    CHECK(table.exit_code == 3);
    CHECK_THAT(table.out, Contains("missing images                     1  d.pgm (no file ") &&
                              Contains("b.pgm (the bytes of 'a.pgm')") && Contains("4 images: 4 findings\n"));
}

TEST_CASE("healthcheck finds subjects and images in both training and test", "[healthcheck]") {
    const Files f;
    const std::string train = "folder:" + f.path("train");
    const std::string test = "folder:" + f.path("test");
    const ProgramResult result = run_fovea({"healthcheck", "--train", train, "--test", test, "--json"});
    CAPTURE(result.err);
    CHECK(result.exit_code == 3);
    const Json json = Json::parse(result.out);
    REQUIRE(json["findings"].size() == 2);
    CHECK(json["findings"][0]["kind"] == "subject_in_both");
    CHECK_THAT(json["findings"][0]["detail"].get<std::string>(), Contains("'ann': 1 image in"));
    CHECK(json["findings"][1]["kind"] == "image_in_both");
    CHECK(json["findings"][1]["image"] == "eve/1.pgm");
    const ProgramResult against = run_fovea({"healthcheck", train, "--against", test, "--json"});
    CHECK(Json::parse(against.out)["findings"] == json["findings"]);

    for (const std::vector<std::string>& wrong : {std::vector<std::string>{"healthcheck"},
                                                  {"healthcheck", "--train", train},
                                                  {"healthcheck", train, "--train", train, "--test", test},
                                                  {"healthcheck", f.path("nowhere")}}) {
        CAPTURE(wrong);
        CHECK(run_fovea(wrong).exit_code == 2);
    }
}

TEST_CASE("healthcheck of real sets finds their known faults", "[healthcheck]") {
    const char* const data = std::getenv("FOVEA_DATA");
    if (data == nullptr) {
        WARN("not run: FOVEA_DATA is not set");
        return;
    }
    const std::string folder = std::string(data) + "/benchmark/";
    // CSU's coords.scraps has 1000 for 100.
    const ProgramResult snapshots = run_fovea(
        {"healthcheck", "feret:" + folder + "csu-scrapshots/coords.scraps", "--no-images", "--json"});
    CHECK(snapshots.exit_code == 3);
    CHECK_THAT(snapshots.out, Contains("00001ac"));
    // Yale's subject04.sad was replaced by a copy of subject04.normal.
    const ProgramResult yale = run_fovea({"healthcheck", "folder:" + folder + "yale", "--json"});
    CAPTURE(yale.out);
    CHECK(yale.exit_code == 3);
    CHECK(Json::parse(yale.out)["counts"]["duplicate_image"] >= 1);
}
