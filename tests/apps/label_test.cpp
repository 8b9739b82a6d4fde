#include <catch2/catch.hpp>

#include "lib/json/json.hpp"
#include "tests/apps/refusal.hpp"
#include "tests/support/edge_scene.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/temp_dir.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Contains;

namespace {

/// A folder with four numbered pictures, and tracks in them.
struct Clip {
    Clip() {
        std::string lines;
        for (int frame = 1; frame <= 4; ++frame) {
            const std::string name = "f" + std::to_string(frame) + ".pgm";
            folder.write("clip/" + name, noise_pgm(64, 48, static_cast<unsigned>(frame)));
            lines += R"({"image":")" + name +
                     R"(","status":"ok","detections":[{"box":[10,10,20,20],"score":1,"track":1}]})" + "\n";
        }
        folder.write("r.jsonl", lines);
    }
    std::string path(const std::string& name) const { return (folder.path() / name).string(); }

    TempDir folder;
};

}  // namespace

TEST_CASE("label writes a page with every frame and the proposed boxes", "[cli][label]") {
    const Clip clip;
    const ProgramResult result = run_fovea({"label", clip.path("clip"), "--results", clip.path("r.jsonl"),
                                            "--out", clip.path("p.html"), "--json"});
    CAPTURE(result.err);
    REQUIRE(result.exit_code == 0);
    const Json json = Json::parse(result.out);
    CHECK(json["frames"] == 4);
    CHECK(json["boxes"] == 4);
    CHECK(json["unreadable"] == 0);
    CHECK_THAT(read_bytes(clip.path("p.html")), Contains("\"number\":4") && Contains("\"person\":1"));
    // A page may hold hours of work on boxes: it is not replaced.
    CHECK_THAT(refusal_of({"label", clip.path("clip"), "--out", clip.path("p.html")}),
               Contains("--overwrite"));
    const ProgramResult again =
        run_fovea({"label", clip.path("clip"), "--out", clip.path("p.html"), "--overwrite"});
    CHECK(again.exit_code == 0);
    CHECK(again.out == "4 frames with 0 boxes: " + clip.path("p.html") + "\n");
}

TEST_CASE("label: pictures that cannot be read keep their place", "[cli][label]") {
    const Clip clip;
    clip.folder.write("clip/f2.pgm", "no image");
    const ProgramResult result = run_fovea({"label", clip.path("clip"), "--results", clip.path("r.jsonl"),
                                            "--out", clip.path("p.html"), "--json"});
    CHECK(result.exit_code == 3);
    CHECK(Json::parse(result.out)["frames"] == 4);
    CHECK(Json::parse(result.out)["unreadable"] == 1);
    CHECK_THAT(read_bytes(clip.path("p.html")), Contains("\"unreadable\":"));
}

TEST_CASE("label: wrong usage is told in a sentence", "[cli][label]") {
    const Clip clip;
    CHECK_THAT(refusal_of({"label", "--out", clip.path("p.html")}), Contains("name a DATASET"));
    CHECK_THAT(refusal_of({"label", clip.path("clip")}), Contains("--out"));
    CHECK_THAT(refusal_of({"label", clip.path("nowhere"), "--out", clip.path("p.html")}),
               Contains("nowhere"));
    CHECK_THAT(refusal_of({"label", clip.path("clip"), "--results", clip.path("r.jsonl"), "--out",
                           clip.path("r.jsonl"), "--overwrite"}),
               Contains("r.jsonl"));
}
