// Clocks that go back, leap or stand still, and frames that change size, in every container.

#include <map>

#include <catch2/catch.hpp>

#include "lib/video/select_frames.hpp"
#include "tests/lib/video/video_checks.hpp"
#include "tests/support/temp_dir.hpp"
#include "tests/support/video/mp4_boxes.hpp"
#include "tests/support/video/video_maker.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

namespace {

namespace fs = std::filesystem;

using Stamps = std::vector<std::int64_t>;

/// Times of frames on the clock that rises. \param max_leap in time stamps
Stamps rising(const Stamps& stamps, std::int64_t max_leap) {
    VideoSource video;
    video.clock_breaks = clock_breaks_of(stamps, {40, 100, max_leap});
    Stamps times;
    for (std::size_t i = 0; i < stamps.size(); ++i)
        times.push_back(video.rising_stamp(static_cast<std::int64_t>(i), stamps[i]));
    return times;
}

/// A container with a codec that is usual in it.
struct Container {
    std::string extension;
    std::string encoder;
    std::string muxer{};
    VideoPlan::Options options{};
    int width = 64, height = 48;
    std::string pixel_format = "yuv420p";
};

std::vector<Container> containers() {
    const VideoPlan::Options fast{{"preset", "ultrafast"}},
        x265{{"preset", "ultrafast"}, {"x265-params", "log-level=none:pools=1"}};
    const VideoPlan::Options vpx{{"deadline", "realtime"}, {"cpu-used", "8"}};
    return {
        {"mp4", "libx264", {}, fast},
        {"m4v", "libx264", "mp4", fast},
        {"mov", "libx264", {}, fast},
        {"3gp", "libx264", {}, fast},
        {"3g2", "libx264", {}, fast},
        {"mkv", "libx264", {}, fast},
        {"webm", "libvpx", {}, vpx},
        {"avi", "mpeg4"},
        {"mpg", "mpeg1video"},
        {"mpeg", "mpeg2video"},
        {"vob", "mpeg2video"},
        {"ts", "libx264", {}, fast},
        {"mts", "libx264", {}, fast},
        {"m2ts", "mpeg2video"},
        {"wmv", "wmv2"},
        {"asf", "msmpeg4"},
        {"flv", "flv"},
        {"ogv", "libtheora"},
        {"mxf", "mpeg2video"},
        {"m2v", "mpeg2video"},
        {"h264", "libx264", {}, fast},
        {"264", "libx264", "h264", fast},
        {"hevc", "libx265", {}, x265},
        {"h265", "libx265", "hevc", x265},
        {"265", "libx265", "hevc", x265},
        {"ivf", "libvpx", {}, vpx},
        {"obu", "libaom-av1", {}, {{"usage", "realtime"}, {"cpu-used", "8"}}},
        {"dv", "dvvideo", {}, {}, 720, 576},
        {"nut", "ffv1"},
        {"y4m", "wrapped_avframe", "yuv4mpegpipe"},
        {"mjpg", "mjpeg", "mjpeg", {}, 64, 48, "yuvj420p"},
    };
}

VideoPlan plan_of(const Container& container, int frames) {
    VideoPlan plan;
    plan.encoder = container.encoder;
    plan.width = container.width;
    plan.height = container.height;
    plan.pixel_format = container.pixel_format;
    plan.is_full_range = container.encoder == "mjpeg";
    plan.frames = frames;
    plan.gop = 5;
    plan.options = container.options;
    return plan;
}

std::string made(const TempDir& dir, const Container& container, const VideoPlan& plan) {
    const fs::path file = dir.path() / ("part." + container.extension);
    make_video(file, plan, {{}, container.muxer, false});
    return read_file_bytes(file);
}

/// Seconds from the first frame to each.
std::vector<double> seconds_of(const VideoIndex& index) {
    std::vector<double> seconds;
    for (std::size_t i = 0; i < index.time_stamps.size(); ++i)
        seconds.push_back(frame_of(index, i).seconds() - frame_of(index, 0).seconds());
    return seconds;
}

/// Numbers of the frames whose times are not `step` apart, to a millisecond and a half.
std::vector<std::size_t> uneven(const VideoIndex& index, double step) {
    std::vector<std::size_t> wrong;
    const std::vector<double> seconds = seconds_of(index);
    for (std::size_t i = 0; i < seconds.size(); ++i) {
        if (std::abs(seconds[i] - step * static_cast<double>(i)) > 1.5e-3) wrong.push_back(i);
    }
    return wrong;
}

}  // namespace

TEST_CASE("a clock that does not go on is gone on with by the frame rate", "[video][clock]") {
    const std::int64_t far = 1'000'000;
    // A clock that goes on, however unevenly, is kept.
    CHECK(rising({}, far) == Stamps{});
    CHECK(rising({500, 540, 541, 900, 40'000}, far) == Stamps{500, 540, 541, 900, 40'000});
    // A recording behind another; a third one; the first clock again.
    CHECK(rising({100, 140, 180, 0, 40, 80}, far) == Stamps{100, 140, 180, 220, 260, 300});
    CHECK(rising({500, 540, 0, 40, 10, 50, 740, 780}, far) == Stamps{500, 540, 580, 620, 621, 630, 740, 780});
    CHECK(rising({900, 940, 300, 340, 0, 40}, far) == Stamps{900, 940, 980, 1020, 1060, 1100});
    // Ahead by more than its container can mean, and back.
    CHECK(rising({0, 40, 9000, 9040, 160, 200}, 1000) == Stamps{0, 40, 80, 120, 160, 200});
    CHECK(rising({0, 40, 1080, 1120}, 1000) == Stamps{0, 40, 1080, 1120});
    CHECK(rising({0, 40, 1081, 1121}, 1000) == Stamps{0, 40, 80, 120});
    // A pause in a second recording stays as long as it is.
    CHECK(rising({2000, 2040, 0, 40, 640, 680}, far) == Stamps{2000, 2040, 2080, 2120, 2720, 2760});
    // A frame that slips; frames in pairs; a clock that stands still.
    CHECK(rising({0, 40, 30, 120, 160}, far) == Stamps{0, 40, 41, 120, 160});
    CHECK(rising({0, 0, 40, 40, 80}, far) == Stamps{0, 1, 40, 41, 80});
    CHECK(rising({0, 0, 0, 0, 0}, far) == Stamps{0, 1, 41, 81, 121});
    // Time stamps may be anything.
    constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min(), most = -(least + 1);
    CHECK(rising({most, 0, 40}, far) == Stamps{most, least + 39, least + 79});
}

TEST_CASE("frames are told apart by the clock that rises", "[video][clock]") {
    auto source = std::make_shared<VideoSource>();
    source->time_base_den = 1000;
    const Stamps stamps{1000, 1040, 1080, 0, 40, 80};
    source->cuts = {{0, 1000}};
    source->clock_breaks = clock_breaks_of(stamps, {40, 100, 1'000'000});
    CHECK(source->clock_breaks == std::vector<ClockBreak>{{3, 1120}});
    const VideoIndex index{source, stamps, {}};
    using Numbers = std::vector<std::size_t>;
    CHECK(select_frames(index, {1, 12.5, {}, {}}) == Numbers{0, 2, 4});
    CHECK(select_frames(index, {1, 0, 1.08, {}}) == Numbers{2, 3, 4, 5});
    CHECK(select_frames(index, {1, 0, {}, 1.16}) == Numbers{0, 1, 2, 3});
    CHECK(frame_of(index, 5).seconds() == 1.2);
    CHECK(frame_of(index, 5).rising_stamp() == 1200);
    // A frame that is not there has no time on any clock.
    CHECK(source->rising_stamp(9, VideoFrame::no_time_stamp) == VideoFrame::no_time_stamp);
}

TEST_CASE("two recordings in one file go on by the frame rate, in every container", "[video][clock]") {
    const TempDir dir;
    for (const Container& container : containers()) {
        if (!has_encoder(container.encoder)) {
            WARN("not run: FFmpeg has no encoder " + container.encoder);
            continue;
        }
        CAPTURE(container.extension);
        const std::string half = made(dir, container, plan_of(container, 15));
        const fs::path file = dir.write("joined." + container.extension, half + half);
        const VideoIndex index = check_video(file);
        CHECK(uneven(index, 0.04) == std::vector<std::size_t>{});
        const std::size_t frames = index.time_stamps.size();
        // Every fifth frame is 0.2 s behind the one before.
        CHECK(select_frames(index, {1, 5, {}, {}}) == every(5, frames));
        const double from = frame_of(index, 0).seconds() + 0.4 - 0.002;
        CHECK(select_frames(index, {1, 0, from, {}}) == every(1, frames, 10));
    }
}

TEST_CASE("the frames of two recordings are those of each", "[video][clock]") {
    // Containers whose second recording FFmpeg reads; the clock goes back in all that have one.
    const TempDir dir;
    for (const Container& container : containers()) {
        const std::string& name = container.extension;
        const bool is_joined = name == "ts" || name == "mts" || name == "m2ts" || name == "mpg" ||
                               name == "mpeg" || name == "vob" || name == "ogv" || name == "h264" ||
                               name == "hevc" || name == "m2v";
        if (!is_joined || !has_encoder(container.encoder)) continue;
        CAPTURE(name);
        const std::string half = made(dir, container, plan_of(container, 15));
        const VideoIndex index = index_video(dir.write("joined." + name, half + half));
        // FFmpeg's decoder of MPEG may leave out the last frame of the first recording.
        CHECK((index.time_stamps.size() == 30 || index.time_stamps.size() == 29));
        const bool has_clock = name != "h264" && name != "hevc" && name != "m2v";
        CHECK(index.source->clock_breaks.size() == (has_clock ? 1 : 0));
        if (!has_clock) continue;
        CHECK_THAT(index.clock, Contains("goes back at frame 1") && Contains("by the frame rate"));
    }
}

TEST_CASE("a leap of a loose clock is none of time, a gap in another container is", "[video][clock]") {
    const TempDir dir;
    for (const char* name : {"a.ts", "a.m2ts", "a.mkv", "a.mp4", "a.mov", "a.flv", "a.nut"}) {
        const bool is_loose = std::string_view(name).ends_with("ts");
        for (const int gap : {9, 25}) {
            CAPTURE(name, gap);
            VideoPlan plan;
            plan.frames = 20;
            plan.gop = 10;
            for (int i = 0; i < 20; ++i) plan.times_ms.push_back(40 * i + (i >= 10 ? 1000 * gap : 0));
            const fs::path file = dir.path() / name;
            make_video(file, plan);
            const VideoIndex index = check_video(file);
            REQUIRE(index.time_stamps.size() == 20);
            const bool is_closed = is_loose && gap > 10;
            const std::vector<double> seconds = seconds_of(index);
            CHECK(seconds[9] == Approx(0.36).margin(1.5e-3));
            CHECK(seconds[10] == Approx(is_closed ? 0.4 : 0.4 + gap).margin(1.5e-3));
            CHECK(seconds[19] - seconds[10] == Approx(0.36).margin(1.5e-3));
            CHECK(index.clock.empty() != is_closed);
            if (is_closed) CHECK_THAT(index.clock, Contains("leaps at frame 10"));
            // Its parts are still those of packets.
            CHECK_FALSE(index.source->counted_by_decoding);
        }
    }
}

TEST_CASE("a transport stream's clock that wraps around goes on", "[video][clock]") {
    const TempDir dir;
    VideoPlan plan;
    plan.frames = 50;
    plan.gop = 10;
    // 2^33 / 90000 s, less the second that the muxer is ahead.
    for (int i = 0; i < 50; ++i) plan.times_ms.push_back(95'443'718 - 1400 - 1000 + 40 * i);
    make_video(dir.path() / "a.ts", plan);
    const VideoIndex index = check_video(dir.path() / "a.ts");
    CHECK(index.time_stamps.size() == 50);
    CHECK(index.clock == "");
    CHECK(uneven(index, 0.04) == std::vector<std::size_t>{});
}

TEST_CASE("frames of another size are read as they are", "[video][clock]") {
    const TempDir dir;
    int changed = 0;
    for (const Container& container : containers()) {
        // The size is in their key frames alone.
        const bool is_in_frames = container.encoder == "libvpx" || container.encoder == "mjpeg";
        const bool is_joined = container.extension.ends_with("ts") || container.extension == "mpeg" ||
                               container.extension == "vob" || container.extension == "h264" ||
                               container.extension == "m2v";
        if (!(is_in_frames || is_joined) || !has_encoder(container.encoder)) continue;
        CAPTURE(container.extension);
        VideoPlan plan = plan_of(container, is_joined ? 12 : 24);
        std::string bytes;
        if (is_joined) {
            bytes = made(dir, container, plan);
            plan.width = 128;
            plan.height = 96;
            bytes += made(dir, container, plan);
        } else {
            plan.resized_from = 12;
            plan.resized_width = 128;
            plan.resized_height = 96;
            bytes = made(dir, container, plan);
        }
        const VideoIndex index = check_video(dir.write("sizes." + container.extension, bytes));
        const bool is_mpeg = container.encoder == "mpeg2video";
        if (!is_mpeg) CHECK(uneven(index, 0.04) == std::vector<std::size_t>{});
        VideoFrames frames(index.source, {});
        std::map<int, int> widths;
        for (std::size_t i = 0; i < index.time_stamps.size(); ++i)
            ++widths[frames.read(frame_of(index, i)).width];
        CHECK(widths.size() == 2);
        CHECK(widths[64] == (is_mpeg ? 11 : 12));
        CHECK(widths[128] == 12);
        ++changed;
    }
    CHECK(changed > 8);
}
