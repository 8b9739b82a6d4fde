// Times, edits, orientation and streams, as containers tell them.

#include <cstring>
#include <fstream>

#include <catch2/catch.hpp>

#include "lib/video/video_error.hpp"
#include "tests/lib/video/video_checks.hpp"
#include "tests/support/temp_dir.hpp"
#include "tests/support/video/field_video.hpp"
#include "tests/support/video/mp4_boxes.hpp"
#include "tests/support/video/video_maker.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

namespace {

namespace fs = std::filesystem;

VideoPlan small_h264(int frames, int gop, int b_frames) {
    VideoPlan plan;
    plan.frames = frames;
    plan.gop = gop;
    plan.b_frames = b_frames;
    plan.options = {{"preset", "veryfast"}, {"x264-params", "scenecut=0"}};
    return plan;
}

/// The image with its pixels where a display matrix puts them.
ReferenceFrame turned(const ReferenceFrame& frame, const std::array<std::int32_t, 9>& matrix) {
    const auto sign = [&](int i) { return matrix[static_cast<std::size_t>(i)] / 65536; };
    const int a = sign(0), b = sign(1), c = sign(3), d = sign(4);
    ReferenceFrame result;
    result.width = a != 0 ? frame.width : frame.height;
    result.height = a != 0 ? frame.height : frame.width;
    result.pixels.resize(frame.pixels.size());
    for (int y = 0; y < frame.height; ++y) {
        for (int x = 0; x < frame.width; ++x) {
            int to_x = a * x + c * y, to_y = b * x + d * y;
            if (a + c < 0) to_x += result.width - 1;
            if (b + d < 0) to_y += result.height - 1;
            result.pixels.at(static_cast<std::size_t>(to_y * result.width + to_x)) =
                frame.pixels[static_cast<std::size_t>(y * frame.width + x)];
        }
    }
    return result;
}

}  // namespace

TEST_CASE("frames of a variable rate keep their times", "[video]") {
    const TempDir dir;
    VideoPlan plan = small_h264(200, 20, 2);
    std::int64_t time = 5000;
    for (int i = 0; i < plan.frames; ++i) {
        plan.times_ms.push_back(time);
        time += i % 3 == 0 ? 20 : i % 50 == 7 ? 1500 : 41;
    }
    for (const char* name : {"a.mp4", "a.mkv", "a.mov", "a.ts"}) {
        CAPTURE(name);
        const auto file = dir.path() / name;
        make_video(file, plan);
        const VideoIndex index = check_video(file);
        CHECK_FALSE(index.source->counted_by_decoding);
        CHECK(index.source->cuts.size() == 2);
        const double first = frame_of(index, 0).seconds();
        for (std::size_t i = 1; i < 200; i += 19) {
            const double wanted = static_cast<double>(plan.times_ms[i] - 5000) / 1000;
            CHECK(frame_of(index, i).seconds() - first == Approx(wanted).margin(1.1e-5));
        }
    }
    CHECK(frame_of(index_video(dir.path() / "a.mkv"), 0).seconds() == 5);
}

TEST_CASE("frames that an edit list leaves out are none", "[video]") {
    const TempDir dir;
    const auto file = dir.path() / "a.mp4";
    make_video(file, small_h264(300, 25, 3));
    const std::size_t all = check_video(file).time_stamps.size();
    CHECK(all == 300);
    // Eight frames at the beginning, which are decoded all the same; and all behind six seconds.
    const std::string bytes = read_file_bytes(file);
    const auto begins_later = dir.write("b.mp4", with_edit(bytes, 8 * 512, 0));
    const VideoIndex without_beginning = check_video(begins_later);
    CHECK(without_beginning.time_stamps.size() == 292);
    CHECK(without_beginning.source->facts.hidden_packets == 8);
    const auto ends_early = dir.write("c.mp4", with_edit(bytes, 30 * 512, 6000));
    const VideoIndex middle = check_video(ends_early);
    CHECK(middle.time_stamps.size() == 150);
    CHECK(frame_of(middle, 0).seconds() == 0);
}

TEST_CASE("a stream that does not begin with a key frame", "[video]") {
    const TempDir dir;
    VideoPlan plan = small_h264(200, 30, 2);
    plan.keeps_packet = [](int number) { return number > 0; };
    for (const char* name : {"a.mkv", "a.ts"}) {
        const auto file = dir.path() / name;
        make_video(file, plan);
        const VideoIndex index = check_video(file);
        CHECK(index.source->counted_by_decoding);
        CHECK(index.time_stamps.size() < 200);
    }
    // HEVC cut off at a CRA picture: those displayed before it need what is gone.
    VideoPlan hevc = plan;
    hevc.encoder = "libx265";
    hevc.options = {{"preset", "ultrafast"},
                    {"x265-params", "log-level=none:pools=1:open-gop=1:bframes=4:b-adapt=0:scenecut=0"}};
    hevc.keeps_packet = [](int number) { return number >= 30; };
    const auto file = dir.path() / "b.mkv";
    make_video(file, hevc);
    check_video(file);
}

TEST_CASE("pictures coded as two fields are one frame", "[video]") {
    const TempDir dir;
    for (const bool is_split : {false, true}) {
        for (const char* name : {"a.mkv", "a.mp4", "a.ts"}) {
            CAPTURE(name, is_split);
            const auto file = dir.path() / name;
            make_field_video(file, {140, 35, is_split});
            const VideoIndex index = check_video(file);
            CHECK(index.time_stamps.size() == 140);
            if (index.time_stamps.size() == 140)
                CHECK(frame_of(index, 139).seconds() - frame_of(index, 0).seconds() == Approx(139 * 0.04));
        }
    }
}

TEST_CASE("a clock that goes back does not mix frames", "[video]") {
    const TempDir dir;
    // Two recordings in one file, the second one with times of its own.
    VideoPlan plan = small_h264(150, 25, 2);
    make_video(dir.path() / "a.ts", plan);
    plan.height = 64;
    for (const std::int64_t start : {0, 3013, 5613}) {
        plan.times_ms.clear();
        plan.height = 48;
        for (int i = 0; i < plan.frames; ++i) plan.times_ms.push_back(start + 40 * i);
        make_video(dir.path() / "b.ts", plan);
        const auto file =
            dir.write("both.ts", read_file_bytes(dir.path() / "a.ts") + read_file_bytes(dir.path() / "b.ts"));
        CHECK(check_video(file).time_stamps.size() == 300);
    }
}

TEST_CASE("frames are turned as the container says", "[video]") {
    const TempDir dir;
    constexpr std::int32_t one = 65536, w = 1 << 30;
    using Matrix = std::array<std::int32_t, 9>;
    const std::vector<std::pair<Matrix, int>> matrices{
        {Matrix{one, 0, 0, 0, one, 0, 0, 0, w}, 1},   {Matrix{-one, 0, 0, 0, one, 0, 0, 0, w}, 2},
        {Matrix{-one, 0, 0, 0, -one, 0, 0, 0, w}, 3}, {Matrix{one, 0, 0, 0, -one, 0, 0, 0, w}, 4},
        {Matrix{0, one, 0, one, 0, 0, 0, 0, w}, 5},   {Matrix{0, one, 0, -one, 0, 0, 48 * one, 0, w}, 6},
        {Matrix{0, -one, 0, -one, 0, 0, 0, 0, w}, 7}, {Matrix{0, -one, 0, one, 0, 0, 0, 64 * one, w}, 8}};
    for (const auto& [matrix, orientation] : matrices) {
        CAPTURE(orientation);
        VideoPlan plan = small_h264(5, 5, 0);
        plan.matrix = matrix;
        const auto file = dir.path() / "a.mp4";
        make_video(file, plan);
        const VideoIndex index = check_video(file);
        CHECK(index.source->facts.orientation == orientation);
        const std::vector<ReferenceFrame> reference = reference_frames(file);
        VideoFrames frames(index.source, {});
        for (std::size_t i = 0; i < 5; ++i) {
            const GreyFrame frame = frames.read(frame_of(index, i));
            const ReferenceFrame wanted = turned(reference[i], matrix);
            CHECK(frame.width == wanted.width);
            CHECK(frame.height == wanted.height);
            CHECK((frame.pixels == wanted.pixels));
        }
    }
}

namespace {

/// Rows stretched, or narrowed, between the middles of pixels.
std::vector<double> stretched(const ReferenceFrame& frame, int width) {
    std::vector<double> pixels;
    for (int y = 0; y < frame.height; ++y) {
        for (int x = 0; x < width; ++x) {
            const double place = std::clamp((x + 0.5) * frame.width / width - 0.5, 0.0, frame.width - 1.0);
            const int left = static_cast<int>(place);
            const auto at = [&](int column) {
                return frame
                    .pixels[static_cast<std::size_t>(y * frame.width + std::min(column, frame.width - 1))];
            };
            pixels.push_back(at(left) + (place - left) * (at(left + 1) - at(left)));
        }
    }
    return pixels;
}

}  // namespace

TEST_CASE("frames are stretched to square pixels", "[video]") {
    const TempDir dir;
    // ffprobe's sample_aspect_ratio, and width x sample aspect ratio.
    struct Case {
        std::array<int, 2> ratio;
        PixelShape pixel;
        int width;
    };
    for (const Case& c : {Case{{0, 1}, {1, 1}, 64}, Case{{1, 1}, {1, 1}, 64}, Case{{2, 1}, {2, 1}, 128},
                          Case{{4, 3}, {4, 3}, 85}, Case{{16, 15}, {16, 15}, 68}, Case{{8, 9}, {8, 9}, 57},
                          Case{{1, 2}, {1, 2}, 32}, Case{{10, 1}, {10, 1}, 640}, Case{{11, 1}, {1, 1}, 64},
                          Case{{1, 11}, {1, 1}, 64}}) {
        for (const char* name : {"a.mp4", "a.mkv", "a.avi", "a.ts", "a.h264"}) {
            CAPTURE(name, c.ratio);
            VideoPlan plan = small_h264(12, 12, 0);
            plan.sample_aspect = c.ratio;
            const auto file = dir.path() / name;
            make_video(file, plan);
            const VideoIndex index = check_video(file);
            CHECK(index.source->facts.pixel == c.pixel);
            CHECK(shown_size(index.source->facts) == Size{c.width, 48});
            const ReferenceFrame stored = reference_frames(file).at(1);
            const std::vector<double> wanted = stretched(stored, c.width);
            VideoFrames frames(index.source, {});
            const GreyFrame frame = frames.read(frame_of(index, 1));
            REQUIRE((frame.width == c.width && frame.height == 48));
            double worst = 0;
            for (std::size_t i = 0; i < wanted.size(); ++i)
                worst = std::max(worst, std::abs(frame.pixels[i] - wanted[i]));
            CHECK(worst < 1.6);
            const ColourFrame colours = frames.read_colours(frame_of(index, 2));
            CHECK((colours.width == c.width && colours.height == 48));
            CHECK(colours.y.size() == wanted.size());
            CHECK(colours.u.size() == static_cast<std::size_t>((c.width + 1) / 2 * 24));
        }
    }
    // Rounding is no shape.
    CHECK(squared_size({375, 374}, {500, 374}) == Size{500, 374});
    // First stretched, then turned.
    VideoPlan plan = small_h264(3, 3, 0);
    plan.sample_aspect = {2, 1};
    plan.matrix = {{0, 65536, 0, -65536, 0, 0, 48 * 65536, 0, 1 << 30}};
    make_video(dir.path() / "b.mp4", plan);
    const VideoIndex index = index_video(dir.path() / "b.mp4");
    CHECK(shown_size(index.source->facts) == Size{48, 128});
    const GreyFrame frame = VideoFrames(index.source, {}).read(frame_of(index, 0));
    CHECK((frame.width == 48 && frame.height == 128));
    // A limit on pixels holds for those that are shown.
    CHECK_THAT(refusal_of([&] {
                   index_video(dir.path() / "b.mp4", {{}, 1, {64 * 48 * 2 - 1, 0}});
               }),
               Contains("48x128 pixels"));
}

TEST_CASE("the best stream, or the one that is asked for", "[video]") {
    const TempDir dir;
    const auto file = dir.path() / "a.mkv";
    VideoPlan small = small_h264(40, 10, 1), large = small_h264(60, 10, 2);
    large.width = 96;
    large.height = 80;
    make_video(file, {small, large}, {{}, {}, true});
    CHECK(check_video(file).source->stream == 1);
    CHECK(check_video(file, 0).time_stamps.size() == 40);
    const VideoIndex second = check_video(file, 1);
    CHECK(second.time_stamps.size() == 60);
    CHECK(second.source->facts.width == 96);
    CHECK(second.source->facts.streams == 2);
    for (const int stream : {2, 3, 1000, -1}) {
        CHECK_THAT(refusal_of([&] {
                       index_video(file, {stream, 1, {}});
                   }),
                   Contains("stream " + std::to_string(stream) + " is no video") && Contains("0, 1"));
    }
}

TEST_CASE("a video that was changed since it was listed is refused", "[video]") {
    const TempDir dir;
    const auto file = dir.path() / "a.mp4";
    make_video(file, small_h264(20, 10, 0));
    const VideoIndex index = index_video(file);
    VideoPlan other = small_h264(20, 10, 0);
    other.width = 80;
    make_video(file, other);
    CHECK_THAT(refusal_of([&] { VideoFrames(index.source, {}); }), Contains("has changed"));
    fs::remove(file);
    CHECK_THAT(refusal_of([&] { VideoFrames(index.source, {}); }), Contains("no such file"));
}
