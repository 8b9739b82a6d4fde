#include <catch2/catch.hpp>

#include "lib/json/json.hpp"
#include "lib/recognise/gallery_file.hpp"
#include "lib/results/formats/read_results.hpp"
#include "lib/results/results.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/temp_dir.hpp"

using namespace fovea;
using namespace fovea::test;
namespace fs = std::filesystem;

TEST_CASE("all faces of photographs are enrolled, and found again", "[cli][gallery]") {
    const std::string photos = "/usr/share/doc/libdlib19.1/examples/faces/testing_with_face_landmarks.xml";
    if (!fs::exists(photos)) {
        WARN("not run: the example photographs of libdlib19.1 are not installed");
        return;
    }
    const TempDir folder;
    const std::string gallery = (folder.path() / "g.fvg").string();
    const auto run = [&](const std::string& command, std::vector<std::string> more) {
        std::vector<std::string> arguments{command,   "dlib:" + photos, "--gallery", gallery,
                                           "--faces", "truth",          "--json",    "--all-faces"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        const ProgramResult result = run_fovea(arguments);
        CAPTURE(result.err);
        REQUIRE(result.exit_code == 0);
        return Json::parse(result.out);
    };
    CHECK(run("enroll", {"--subject", "X"})["faces"] == 25);
    const std::vector<GalleryFace> faces = read_gallery(gallery).faces;
    CHECK(faces[0].image == "2008_002470.jpg");
    CHECK(faces[0].box == Box{274, 181, 52, 53});
    // Only the last image may have been cut short: faces that it lacks are enrolled again, and no others.
    REQUIRE(run_fovea({"gallery", "remove", gallery, "--number", "25"}).exit_code == 0);
    Json outcome = run("enroll", {"--subject", "X"});
    CHECK(outcome["faces"] == 1);
    CHECK(outcome["already_there"] == 24);
    CHECK(read_gallery(gallery).faces.back().box == faces.back().box);

    const std::string results = (folder.path() / "r.jsonl").string();
    outcome = run("identify", {"--out", results});
    CHECK(outcome["faces"] == 25);
    CHECK_FALSE(outcome.contains("rank1"));  // who of them is the subject of the image nobody says
    std::size_t found = 0;
    for (const ImageResult& image : read_results(results).images) {
        for (const Detection& face : image.detections) {
            CHECK(face.details->distance == 0);
            CHECK(face.box == faces.at(found++).box);
        }
    }
    CHECK(found == 25);
}

TEST_CASE("people in photographs are found and identified", "[cli][gallery]") {
    const std::string johns = "/usr/share/doc/libdlib19.1/examples/johns";
    if (!fs::exists(johns + "/John_Simm/000297_00470170.jpg")) {
        WARN("not run: the example photographs of libdlib19.1 are not installed");
        return;
    }
    const TempDir folder;
    const std::string gallery = (folder.path() / "johns.fvg").string();
    const ProgramResult enrolled = run_fovea(
        {"enroll", "folder:" + johns, "--pattern", "*/*[02468].jpg", "--gallery", gallery, "--json"});
    CAPTURE(enrolled.err);
    REQUIRE(enrolled.exit_code == 0);
    CHECK(Json::parse(enrolled.out)["faces"] == 24);
    const Gallery found = read_gallery(gallery);
    CHECK(found.info.subjects == 5);
    for (const GalleryFace& face : found.faces) {
        CAPTURE(face.image);
        REQUIRE(face.box.has_value());
        REQUIRE(face.eyes.has_value());
        CHECK(face.quality["detector_score"].get<double>() > 0.5);
        CHECK(face.eyes->left.x < face.eyes->right.x);
        CHECK(face.quality["eye_distance"].get<double>() > 15);
    }
    const std::string results = (folder.path() / "r.jsonl").string();
    const ProgramResult identified = run_fovea({"identify", "folder:" + johns, "--pattern", "*/*[13579].jpg",
                                                "--gallery", gallery, "--out", results, "--json"});
    CAPTURE(identified.err);
    REQUIRE(identified.exit_code == 0);
    const Json json = Json::parse(identified.out);
    CHECK(json["mated"] == 31);
    CHECK(json["rank1"].get<double>() > 0.9);
    for (const ImageResult& image : read_results(results).images) {
        CHECK(image.detections.at(0).details->landmarks.size() >= 5);
        CHECK(image.detections[0].details->candidates.size() == 5);
    }
}
