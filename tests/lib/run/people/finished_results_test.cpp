#include "lib/run/people/finished_results.hpp"

#include <catch2/catch.hpp>

#include "lib/core/error.hpp"
#include "lib/files/file.hpp"
#include "lib/files/sha256.hpp"
#include "lib/json/json.hpp"
#include "tests/lib/dataset/readers/video/small_videos.hpp"
#include "tests/support/temp_dir.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

namespace {

/// Results of two photographs, one of which the archive has, and of a frame.
struct Finished {
    Finished() {
        folder.write("photos/a.pgm", "P5\n1 1\n255\nx");
        folder.write("photos/b.y4m", small_video(2));
        folder.write("photos/c.pgm", "P5\n1 1\n255\nx");
        files.results = folder.write("r.jsonl", line("gone.pgm") + line("c.pgm") + line("b.y4m#000001"));
        files.features = folder.write("f.npy", "features");
        work = {{"detectors", {{{"step", 1}}}}, {"recogniser", "abc"}};
        manifest = {{"complete", true},
                    {"work", {{"description", work}}},
                    {"detectors", {{{"results_sha256", sha256_of_file(files.results)}}}},
                    {"features", {{"sha256", sha256_of_file(files.features)}}}};
        // The parts of a description on which no face depends.
        manifest["work"]["description"].update(
            {{"images", {{"count", 3}}}, {"decoder", "other"}, {"fovea", "0.1"}, {"crops", "box"}});
        ImageListRequest request;
        request.specification = (folder.path() / "photos").string();
        images = read_image_list(request);
    }
    static std::string line(const std::string& image) {
        return R"({"image":")" + image + R"(","width":1,"height":1,"status":"ok","detections":[]})" + "\n";
    }
    FinishedImages check() const {
        folder.write("r.run.json", manifest.dump());
        return check_finished_results(files, work, images);
    }
    std::string refusal() const {
        try {
            check();
        } catch (const UsageError& error) {
            return error.what();
        }
        return "taken";
    }

    TempDir folder;
    FinishedResults files;
    Json work, manifest;
    ImageList images;
};

}  // namespace

TEST_CASE("finished results tell which photographs of an archive they are of", "[people]") {
    const Finished f;
    const FinishedImages found = f.check();
    REQUIRE(found.photographs.size() == 1);
    CHECK(f.images.name(found.photographs[0]) == "c.pgm");
    CHECK(found.frames == 1);
}

TEST_CASE("finished results that do not fit are refused with the reason", "[people]") {
    Finished f;
    CHECK(f.refusal() == "taken");
    SECTION("without a manifest") {
        f.files.results = f.folder.write("other.jsonl", Finished::line("c.pgm"));
        CHECK_THAT(f.refusal(), Contains("no manifest") && Contains("other.jsonl"));
    }
    SECTION("of a job that was interrupted") {
        f.manifest["complete"] = false;
        CHECK_THAT(f.refusal(), Contains("not finished") && Contains("--resume"));
    }
    SECTION("without features") {
        f.manifest.erase("features");
        CHECK_THAT(f.refusal(), Contains("without features"));
    }
    SECTION("of another detector") {
        f.work["detectors"][0]["step"] = 2;
        CHECK_THAT(f.refusal(), Contains("other work (detectors/0/step is 2 and was 1)"));
    }
    SECTION("of another recogniser") {
        f.manifest["work"]["description"]["recogniser"] = "xyz";
        CHECK_THAT(f.refusal(), Contains("recogniser is \"abc\" and was \"xyz\""));
    }
    SECTION("that have changed") {
        f.folder.write("r.jsonl", Finished::line("c.pgm"));
        CHECK_THAT(f.refusal(), Contains("r.jsonl' is not the file"));
    }
    SECTION("with the features of other faces") {
        f.folder.write("f.npy", "others");
        CHECK_THAT(f.refusal(), Contains("f.npy' is not the file"));
    }
    SECTION("that are not there") {
        f.files.features = f.folder.path() / "none.npy";
        CHECK_THAT(f.refusal(), Contains("none.npy") && Contains("--features"));
    }
    SECTION("of another archive") {
        f.folder.write("r.jsonl", Finished::line("gone.pgm"));
        f.manifest["detectors"][0]["results_sha256"] = sha256_of_file(f.files.results);
        CHECK_THAT(f.refusal(), Contains("no image of") && Contains("photos"));
    }
    SECTION("of a broken line") {
        f.folder.write("r.jsonl", Finished::line("c.pgm") + "{}\n");
        f.manifest["detectors"][0]["results_sha256"] = sha256_of_file(f.files.results);
        CHECK_THROWS_WITH(f.check(), Contains("line 2"));
    }
}
