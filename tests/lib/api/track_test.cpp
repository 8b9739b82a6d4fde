#include <fstream>

#include <fovea/results.hpp>
#include <fovea/track.hpp>

#include "lib/image/formats/image.hpp"
#include "lib/image/read_grey.hpp"
#include "tests/support/images.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/temp_dir.hpp"

namespace fovea::test {
namespace {

namespace fs = std::filesystem;

/// A window of a photograph that moves by two pixels from frame to frame.
GreyImage frame_of(const GreyImage& photograph, int number) {
    const int left = 2 * number;
    GreyImage frame{photograph.width - 80, photograph.height, {}};
    for (int y = 0; y < frame.height; ++y) {
        const auto* const row =
            photograph.pixels.data() + static_cast<std::ptrdiff_t>(y) * photograph.width + left;
        frame.pixels.insert(frame.pixels.end(), row, row + frame.width);
    }
    return frame;
}

void append(std::vector<api::TrackedFrame>& all, std::vector<api::TrackedFrame> more) {
    for (api::TrackedFrame& frame : more) all.push_back(std::move(frame));
}

}  // namespace

TEST_CASE("another program follows the faces that fovea track follows, in every digit", "[api][cli]") {
    const std::vector<std::string> files = debian_photographs();
    if (files.empty()) {
        WARN("not run: Debian's libdlib19.1 keeps its photographs in /usr/share/doc");
        return;
    }
    constexpr int frames = 24;
    const GreyImage photograph = read_grey_image(files[0]);
    const TempDir folder;
    std::vector<std::string> expected;
    std::vector<GreyImage> images;
    for (int i = 0; i < frames; ++i) {
        images.push_back(frame_of(photograph, i));
        const std::string number = std::to_string(100 + i);
        folder.write("frames/" + number + ".pgm", pgm_of(images.back()));
    }
    const fs::path out = folder.path() / "tracks";
    const ProgramResult run = run_fovea({"track", (folder.path() / "frames").string(), "--device", "cpu",
                                         "--redetect", "6", "--out", out.string()});
    INFO(run.err);
    REQUIRE(run.exit_code == 0);
    std::ifstream stream(out / "results.jsonl");
    for (std::string line; std::getline(stream, line);) expected.push_back(line);
    REQUIRE(expected.size() == frames);

    api::TrackerOptions options;
    options.detector.device = "cpu";
    options.redetect = 6;
    api::Tracker tracker(options);
    std::vector<api::TrackedFrame> found;
    for (const GreyImage& image : images)
        append(found, tracker.add({image.pixels.data(), image.width, image.height, image.width}));
    append(found, tracker.finish());
    REQUIRE(found.size() == frames);
    std::size_t followed = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
        CHECK(found[i].number == i);
        const std::string name = std::to_string(100 + i) + ".pgm";
        CHECK(api::json_line({name, found[i].size, found[i].faces, {}}) == expected[i]);
        for (const api::Detection& face : found[i].faces) followed += face.followed.has_value() ? 1 : 0;
    }
    CHECK(followed > 10);
    CHECK(tracker.finish().empty());
    CHECK_THROWS_AS(tracker.add({}), api::UsageError);
}

TEST_CASE("a frame that could not be read keeps its place", "[api]") {
    api::TrackerOptions options;
    options.detector = {.model = "mct", .device = "cpu"};
    options.look_back = 0;
    api::Tracker tracker(options);
    const GreyImage image = noise(64, 48, 1);
    const api::ImageView view{image.pixels.data(), image.width, image.height, image.width};
    std::vector<api::TrackedFrame> found = tracker.add(view);
    append(found, tracker.add({}));
    append(found, tracker.add(view));
    append(found, tracker.finish());
    REQUIRE(found.size() == 3);
    CHECK(found[0].size == api::Size{64, 48});
    CHECK(found[1].size == api::Size{});
    CHECK(found[2].number == 2);

    options.redetect = 0;
    CHECK_THROWS_WITH(api::Tracker(options), Catch::Contains("redetect"));
    options.redetect = 10;
    options.max_followed = 0;
    CHECK_THROWS_WITH(api::Tracker(options), Catch::Contains("max_followed"));
}

}  // namespace fovea::test
