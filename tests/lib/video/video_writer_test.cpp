#include "lib/video/write/video_writer.hpp"

#include <cmath>

#include <catch2/catch.hpp>

#include "lib/core/error.hpp"
#include "lib/video/index_video.hpp"
#include "lib/video/video_frames.hpp"
#include "tests/lib/video/video_checks.hpp"
#include "tests/support/temp_dir.hpp"
#include "tests/support/video/reference_frames.hpp"
#include "tests/support/video/video_maker.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

namespace {

/// One shade that rises from frame to frame.
ColourFrame shade(int width, int height, int number) {
    ColourFrame frame;
    frame.width = width;
    frame.height = height;
    frame.y.assign(static_cast<std::size_t>(width) * static_cast<std::size_t>(height),
                   static_cast<std::uint8_t>(40 + 10 * number));
    frame.u.assign(
        static_cast<std::size_t>(frame.chroma_width()) * static_cast<std::size_t>(frame.chroma_height()), 90);
    frame.v.assign(frame.u.size(), 200);
    return frame;
}

void write_shades(const std::filesystem::path& file, const VideoWriterOptions& options,
                  const std::vector<std::int64_t>& stamps) {
    VideoWriter writer(file, options);
    CHECK(writer.encoder() == "libx264");
    for (std::size_t i = 0; i < stamps.size(); ++i)
        writer.write(shade(options.width, options.height, static_cast<int>(i)), stamps[i]);
    writer.close();
}

}  // namespace

TEST_CASE("A video that was written has all its frames and times", "[video]") {
    if (!has_encoder("libx264")) {
        WARN("not run: FFmpeg has no libx264 here");
        return;
    }
    const TempDir folder;
    const auto file = folder.path() / "out.mp4";
    // Odd sides lose a row and a column; the rate varies.
    VideoWriterOptions options;
    options.width = 65;
    options.height = 49;
    options.time_base_den = 1000;
    const std::vector<std::int64_t> stamps{0, 40, 80, 200, 240, 245, 300};
    write_shades(file, options, stamps);
    const std::vector<ReferenceFrame> frames = reference_frames(file);
    REQUIRE(frames.size() == stamps.size());
    for (std::size_t i = 0; i < frames.size(); ++i) {
        CHECK(frames[i].seconds == Approx(static_cast<double>(stamps[i]) / 1000).margin(1e-3));
        CHECK((frames[i].width == 64 && frames[i].height == 48));
        const double expected = (40 + 10.0 * static_cast<double>(i) - 16) * 255 / 219;
        CHECK(std::abs(frames[i].pixels[24 * 64 + 32] - expected) <= 3);
    }
}

TEST_CASE("Frames in colour have the luma and the colours of the video", "[video]") {
    if (!has_encoder("libx264")) {
        WARN("not run: FFmpeg has no libx264 here");
        return;
    }
    const TempDir folder;
    const auto file = folder.path() / "out.mp4";
    VideoWriterOptions options;
    options.width = 64;
    options.height = 48;
    write_shades(file, options, {0, 1, 2});
    const VideoIndex video = index_video(file);
    VideoFrames frames(video.source, {});
    const ColourFrame frame = frames.read_colours(frame_of(video, 0));
    CHECK((frame.width == 64 && frame.height == 48));
    CHECK(std::abs(frame.y[24 * 64 + 32] - 40) <= 3);
    CHECK(std::abs(frame.u[12 * 32 + 16] - 90) <= 3);
    CHECK(std::abs(frame.v[12 * 32 + 16] - 200) <= 3);
}

TEST_CASE("Frames of other pixel formats come in colour", "[video]") {
    if (!has_encoder("ffv1")) {
        WARN("not run: FFmpeg has no ffv1 here");
        return;
    }
    const TempDir folder;
    // Rows that are no multiple of what libswscale writes at once.
    VideoPlan plan;
    plan.encoder = "ffv1";
    plan.frames = 2;
    plan.width = 70;
    plan.height = 46;
    for (const std::string format : {"yuv422p", "yuv444p", "bgr0"}) {
        CAPTURE(format);
        plan.pixel_format = format;
        make_video(folder.path() / "in.mkv", plan);
        const VideoIndex video = index_video(folder.path() / "in.mkv");
        VideoFrames frames(video.source, {});
        const ColourFrame frame = frames.read_colours(frame_of(video, 1));
        REQUIRE((frame.width == 70 && frame.height == 46 && frame.y.size() == 70 * 46));
        REQUIRE((frame.u.size() == 35 * 23 && frame.v.size() == 35 * 23));
        // libswscale makes YUV of RGB by BT.601.
        CHECK(frame.codes.matrix == (format == "bgr0" ? ColourCodes::bt601_matrix : 2));
        if (format == "bgr0") continue;
        for (int y = 0; y < 46; ++y) {
            for (int x = 0; x < 70; ++x) {
                const int luma = frame.y[static_cast<std::size_t>(y * 70 + x)];
                if (luma != pattern_at(x, y, 1)) FAIL("luma " << luma << " at " << x << ", " << y);
            }
        }
        CHECK(frame.u == std::vector<std::uint8_t>(35 * 23, 128));
    }
}

TEST_CASE("Frames are fitted into those of another size", "[video]") {
    CHECK(fitted_place({64, 48}, {64, 48}) == Rect{0, 0, 64, 48});
    CHECK(fitted_place({65, 49}, {65, 49}) == Rect{0, 0, 65, 49});
    CHECK(fitted_place({32, 24}, {64, 48}) == Rect{0, 0, 64, 48});
    CHECK(fitted_place({480, 640}, {640, 480}) == Rect{140, 0, 360, 480});
    CHECK(fitted_place({1920, 1080}, {640, 480}) == Rect{0, 60, 640, 360});
    CHECK(fitted_place({1, 1000}, {65, 49}) == Rect{30, 0, 2, 48});
    const ColourFrame same = fitted(shade(65, 49, 3), {65, 49});
    CHECK((same.y == shade(65, 49, 3).y && same.u == shade(65, 49, 3).u));
    // A high frame between black bars.
    const ColourFrame frame = fitted(shade(24, 48, 3), {64, 48});
    REQUIRE((frame.width == 64 && frame.height == 48));
    REQUIRE((frame.y.size() == 64 * 48 && frame.u.size() == 32 * 24 && frame.v.size() == 32 * 24));
    for (std::size_t i = 0; i < frame.y.size(); ++i) {
        const bool is_inside = i % 64 >= 20 && i % 64 < 44;
        if (frame.y[i] != (is_inside ? 70 : 16)) FAIL("luma " << i);
    }
    for (std::size_t i = 0; i < frame.u.size(); ++i) {
        const bool is_inside = i % 32 >= 10 && i % 32 < 22;
        if (frame.u[i] != (is_inside ? 90 : 128) || frame.v[i] != (is_inside ? 200 : 128))
            FAIL("chroma " << i);
    }
}

TEST_CASE("Videos that cannot be written are refused", "[video]") {
    if (!has_encoder("libx264")) return;
    const TempDir folder;
    VideoWriterOptions options;
    options.width = options.height = 1;
    CHECK_THROWS_WITH(VideoWriter(folder.path() / "small.mp4", options), Contains("2x2"));
    options.width = options.height = 16;
    CHECK_THROWS_WITH(VideoWriter(folder.path() / "no/folder.mp4", options), Contains("cannot be written"));
}
