#include <chrono>
#include <thread>

#include <catch2/catch.hpp>
#include <signal.h>

#include "lib/json/json.hpp"
#include "lib/recognise/gallery_file.hpp"
#include "tests/lib/recognise/gallery_cases.hpp"
#include "tests/support/edge_scene.hpp"
#include "tests/support/run_program.hpp"

using namespace fovea;
using namespace fovea::test;
namespace fs = std::filesystem;

namespace {

// So many images that the program is not done when its first faces are seen in the gallery.
struct LongEnrolment {
    LongEnrolment() {
        const fs::path first = folder.write("photos/0.pgm", noise_pgm(400, 450, 5));
        for (int i = 1; i < images; ++i) {
            fs::create_hard_link(first, first.parent_path() / (std::to_string(i) + ".pgm"));
        }
        gallery = (folder.path() / "g.fvg").string();
    }
    std::vector<std::string> command(const std::string& to) const {
        return {fovea_program(), "enroll",    (folder.path() / "photos").string(),
                "--gallery",     to,          "--faces",
                "image",         "--subject", "all",
                "--threads",     "1",         "--json"};
    }
    void wait_for_faces() const {
        for (int tries = 0; tries < 30000; ++tries) {
            std::error_code error;
            if (fs::exists(gallery, error) && gallery_info(gallery).faces > 0) return;
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        FAIL("nothing was enrolled");
    }
    // \param there faces before.
    void check_complete_after_repeating(std::size_t there) const {
        const ProgramResult repeated = run_program(command(gallery));
        CAPTURE(repeated.err);
        REQUIRE(repeated.exit_code == 0);
        const Json json = Json::parse(repeated.out);
        CHECK(json["images"] == images);
        CHECK(json["already_there"] == there);
        CHECK(json["faces"] == images - there);
        const std::string whole = (folder.path() / "whole.fvg").string();
        REQUIRE(run_program(command(whole)).exit_code == 0);
        CHECK(same_faces(read_gallery(gallery).faces, read_gallery(whole).faces));
        CHECK(gallery_info(gallery).faces == images);
        CHECK(gallery_info(gallery).finished);
    }

    static constexpr int images = 300;
    TempDir folder;
    std::string gallery;
};

}  // namespace

TEST_CASE("an enrolment that was killed is simply repeated", "[cli][gallery]") {
    const LongEnrolment f;
    StartedProgram program(f.command(f.gallery));
    f.wait_for_faces();
    program.send_signal(SIGKILL);
    CHECK(program.wait().exit_code == 128 + SIGKILL);
    const GalleryInfo info = gallery_info(f.gallery);
    CHECK(info.faces > 0);
    CHECK(info.faces < f.images);
    CHECK_FALSE(info.finished);
    f.check_complete_after_repeating(info.faces);
}

TEST_CASE("Ctrl-C leaves a finished gallery, and the enrolment is simply repeated", "[cli][gallery]") {
    const LongEnrolment f;
    StartedProgram program(f.command(f.gallery));
    f.wait_for_faces();
    program.send_signal(SIGINT);
    REQUIRE(program.wait_for_error_text("interrupted"));
    const ProgramResult result = program.wait();
    CAPTURE(result.err);
    CHECK(result.exit_code == 130);
    const Json json = Json::parse(result.out);
    CHECK(json["interrupted"] == true);
    const GalleryInfo info = gallery_info(f.gallery);
    CHECK(json["faces"] == info.faces);
    CHECK(info.faces < f.images);
    CHECK(info.finished);
    CHECK(Json::parse(read_bytes(f.folder.path() / "g.run.json"))["interrupted"] == true);
    f.check_complete_after_repeating(info.faces);
}
