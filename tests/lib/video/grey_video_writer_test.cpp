#include "lib/video/grey_video_writer.hpp"

#include <stdexcept>

#include <catch2/catch.hpp>

#include "lib/core/error.hpp"
#include "lib/video/index_video.hpp"
#include "lib/video/video_frames.hpp"
#include "tests/support/images.hpp"
#include "tests/support/temp_dir.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

TEST_CASE("grey frames come back as they were written, whatever their size and values",
          "[video][write-video]") {
    const TempDir folder;
    const auto [width, height] = GENERATE(std::pair{64, 48}, std::pair{33, 17}, std::pair{7, 300});
    const auto file = folder.path() / "grey.mkv";
    GreyVideoOptions options;
    options.size = {width, height};
    options.frames_per_second = 30;
    GreyVideoWriter writer(file, options);
    for (std::uint32_t i = 0; i < 5; ++i) writer.write(noise(width, height, i).view());
    CHECK_THROWS_AS(writer.write(noise(width + 1, height, 1).view()), std::invalid_argument);
    writer.finish();

    const VideoIndex index = index_video(file);
    REQUIRE(index.time_stamps.size() == 5);
    CHECK(index.source->seconds(index.time_stamps[3]) == Approx(0.1).margin(0.001));
    VideoFrames frames(index.source, {});
    for (std::uint32_t i = 0; i < 5; ++i) {
        const GreyFrame frame = frames.read({index.source, i, index.time_stamps[i]});
        CHECK(frame.width == width);
        CHECK(frame.height == height);
        CHECK(frame.pixels == noise(width, height, i).pixels);
    }
}

TEST_CASE("a grey video that cannot be written names its file", "[video][write-video]") {
    const TempDir folder;
    GreyVideoOptions options;
    options.size = {64, 48};
    CHECK_THROWS_WITH(GreyVideoWriter(folder.path() / "none/grey.mkv", options), Contains("none/grey.mkv"));
    CHECK_THROWS_WITH(GreyVideoWriter(folder.path() / "grey.unknown", options), Contains("grey.unknown"));
}
