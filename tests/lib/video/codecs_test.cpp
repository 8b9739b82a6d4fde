// Every codec and container: the frames listed and read are those that FFmpeg gives from beginning to end.

#include <map>

#include <catch2/catch.hpp>

#include "lib/video/ffmpeg.hpp"
#include "lib/video/video_file.hpp"
#include "tests/lib/video/video_checks.hpp"
#include "tests/support/temp_dir.hpp"
#include "tests/support/video/video_maker.hpp"

using namespace fovea;
using namespace fovea::test;

namespace {

/// Makes a video of the plan and checks it.
VideoIndex check_made(const TempDir& dir, const std::string& name, const VideoPlan& plan,
                      const ContainerPlan& container = {}) {
    const auto file = dir.path() / name;
    make_video(file, plan, container);
    return check_video(file);
}

/// Types of the NAL units of HEVC in a file with lengths before them, each with how often it is there.
std::map<int, int> hevc_units(const std::filesystem::path& file) {
    VideoFile video(file, {}, {});
    std::map<int, int> units;
    while (const PacketPointer packet = video.read()) {
        const auto size = static_cast<std::size_t>(packet->size);
        for (std::size_t at = 0; at + 4 < size;) {
            const std::uint8_t* const unit = packet->data + at;
            ++units[unit[4] >> 1 & 63];
            at += 4 + (std::size_t{unit[0]} << 24 | unit[1] << 16 | unit[2] << 8 | unit[3]);
        }
    }
    return units;
}

// Table 7-1 of Rec. ITU-T H.265.
enum HevcUnit {
    radl_n = 6,
    radl_r = 7,
    rasl_n = 8,
    rasl_r = 9,
    idr_with_radl = 19,
    idr_alone = 20,
    cra = 21
};

VideoPlan h264(int frames, int gop, int b_frames, const std::string& x264 = {}) {
    VideoPlan plan;
    plan.frames = frames;
    plan.gop = gop;
    plan.b_frames = b_frames;
    plan.options = {{"preset", "veryfast"}};
    if (!x264.empty()) plan.options.emplace_back("x264-params", x264);
    return plan;
}

VideoPlan hevc(int frames, int gop, int b_frames, const std::string& x265) {
    VideoPlan plan = h264(frames, gop, b_frames);
    plan.encoder = "libx265";
    plan.options = {{"preset", "ultrafast"}, {"x265-params", "log-level=none:pools=1:scenecut=0:" + x265}};
    return plan;
}

VideoPlan plan_of(const std::string& encoder, int frames, int gop, VideoPlan::Options options = {}) {
    VideoPlan plan;
    plan.encoder = encoder;
    plan.frames = frames;
    plan.gop = gop;
    plan.options = std::move(options);
    return plan;
}

}  // namespace

TEST_CASE("H.264 with B frames is read by parts", "[video]") {
    const TempDir dir;
    for (const char* name : {"a.mp4", "a.mkv", "a.mov"}) {
        const VideoIndex index = check_made(dir, name, h264(400, 30, 3, "scenecut=0"));
        CHECK_FALSE(index.source->counted_by_decoding);
        CHECK(index.time_stamps.size() == 400);
        REQUIRE(index.source->cuts.size() == 4);
        for (std::size_t part = 0; part < 4; ++part)
            CHECK(index.source->cuts[part].frame == static_cast<std::int64_t>(120 * part));
        CHECK(index.source->facts.codec == "h264");
        CHECK(index.source->facts.packets == 400);
        CHECK(index.source->facts.width == 64);
    }
}

TEST_CASE("H.264 with an open GOP begins where nothing before is needed", "[video]") {
    const TempDir dir;
    // Key frames are IDR pictures at the beginning alone.
    const VideoIndex index = check_made(dir, "a.mkv", h264(300, 30, 3, "scenecut=0:open-gop=1:bframes=3"));
    CHECK_FALSE(index.source->counted_by_decoding);
    CHECK(index.source->cuts.size() == 1);
}

TEST_CASE("H.264 in an MPEG transport stream", "[video]") {
    const TempDir dir;
    const VideoIndex index = check_made(dir, "a.ts", h264(300, 25, 2, "scenecut=0"));
    CHECK_FALSE(index.source->counted_by_decoding);
    CHECK(index.source->cuts.size() == 3);
    CHECK(index.time_stamps.front() > 0);
    CHECK(index.source->time_base_den == 90000);
    check_made(dir, "a.flv", h264(150, 25, 2));
}

TEST_CASE("H.264 without time stamps is counted by decoding", "[video]") {
    const TempDir dir;
    CHECK(check_made(dir, "a.h264", h264(60, 12, 2)).source->counted_by_decoding);
    CHECK(check_made(dir, "a.avi", h264(60, 12, 2)).source->counted_by_decoding);
}

TEST_CASE("interlaced H.264", "[video]") {
    const TempDir dir;
    VideoPlan plan = h264(300, 25, 2, "scenecut=0:tff=1:interlaced=1");
    plan.height = 64;
    plan.is_interlaced = true;
    for (const char* name : {"a.mp4", "a.mkv", "a.ts"}) {
        const VideoIndex index = check_made(dir, name, plan);
        CHECK(index.time_stamps.size() == 300);
        CHECK(index.source->cuts.size() == 3);
    }
}

TEST_CASE("HEVC with an open GOP has cuts at its CRA pictures", "[video]") {
    const TempDir dir;
    for (const char* name : {"a.mp4", "a.mkv", "a.ts"}) {
        const VideoIndex index = check_made(dir, name, hevc(400, 30, 4, "open-gop=1:bframes=4:b-adapt=0"));
        CHECK_FALSE(index.source->counted_by_decoding);
        CHECK(index.time_stamps.size() == 400);
        CHECK(index.source->cuts.size() == 4);
    }
    const std::map<int, int> units = hevc_units(dir.path() / "a.mp4");
    CHECK(units.count(cra) == 1);
    CHECK(units.count(rasl_n) + units.count(rasl_r) > 0);
}

TEST_CASE("HEVC with a closed GOP, without and with pictures that are displayed before their key frame",
          "[video]") {
    const TempDir dir;
    for (const char* radl : {"radl=0", "radl=2:keyint=30:min-keyint=30"}) {
        const VideoIndex index =
            check_made(dir, "a.mp4", hevc(400, 30, 4, std::string("open-gop=0:bframes=4:b-adapt=0:") + radl));
        CHECK_FALSE(index.source->counted_by_decoding);
        CHECK(index.source->cuts.size() >= 3);
        const std::map<int, int> units = hevc_units(dir.path() / "a.mp4");
        CHECK(units.count(cra) == 0);
        CHECK((units.count(radl_n) + units.count(radl_r) > 0) == (std::string(radl) != "radl=0"));
    }
    CHECK(check_made(dir, "a.hevc", hevc(60, 20, 3, "open-gop=1")).source->counted_by_decoding);
}

TEST_CASE("VP8 with frames that are not displayed", "[video]") {
    const TempDir dir;
    VideoPlan plan = plan_of("libvpx", 300, 40,
                             {{"deadline", "good"},
                              {"cpu-used", "5"},
                              {"auto-alt-ref", "1"},
                              {"lag-in-frames", "16"},
                              {"b", "60000"}});
    plan.has_two_passes = true;
    const VideoIndex index = check_made(dir, "a.webm", plan);
    CHECK(index.time_stamps.size() == 300);
    CHECK_FALSE(index.source->counted_by_decoding);
    CHECK(index.source->facts.hidden_packets > 0);
    CHECK(index.source->facts.packets == 300 + index.source->facts.hidden_packets);
    CHECK(index.source->cuts.size() >= 2);
    plan.has_two_passes = false;
    CHECK(check_made(dir, "a.ivf", plan).source->facts.hidden_packets == 0);
}

TEST_CASE("VP9", "[video]") {
    const TempDir dir;
    const VideoPlan plan =
        plan_of("libvpx-vp9", 300, 40,
                {{"deadline", "good"}, {"cpu-used", "8"}, {"auto-alt-ref", "1"}, {"b", "60000"}});
    for (const char* name : {"a.webm", "a.mp4"}) {
        const VideoIndex index = check_made(dir, name, plan);
        CHECK(index.time_stamps.size() == 300);
        CHECK_FALSE(index.source->counted_by_decoding);
        CHECK(index.source->cuts.size() >= 2);
    }
}

TEST_CASE("AV1", "[video]") {
    const TempDir dir;
    if (!has_encoder("libaom-av1")) {
        WARN("not run: FFmpeg has no encoder of AV1");
        return;
    }
    const VideoPlan plan =
        plan_of("libaom-av1", 260, 40, {{"usage", "good"}, {"cpu-used", "6"}, {"crf", "40"}});
    for (const char* name : {"a.mkv", "a.mp4"}) {
        const VideoIndex index = check_made(dir, name, plan);
        CHECK(index.time_stamps.size() == 260);
        CHECK_FALSE(index.source->counted_by_decoding);
        CHECK(index.source->cuts.size() >= 2);
    }
}

TEST_CASE("Motion JPEG can be read from every frame on", "[video]") {
    const TempDir dir;
    VideoPlan plan = plan_of("mjpeg", 250, 1);
    plan.pixel_format = "yuvj420p";
    plan.is_full_range = true;
    for (const char* name : {"a.avi", "a.mkv", "a.mov"}) {
        const VideoIndex index = check_made(dir, name, plan);
        CHECK(index.time_stamps.size() == 250);
        CHECK(index.source->cuts.size() == 3);
    }
}

TEST_CASE("codecs whose packets do not tell frames are counted by decoding", "[video]") {
    const TempDir dir;
    VideoPlan b_frames = plan_of("mpeg4", 60, 12);
    b_frames.b_frames = 2;
    for (const char* name : {"a.avi", "a.mp4", "a.mkv"}) {
        const VideoIndex index = check_made(dir, name, b_frames);
        CHECK(index.source->counted_by_decoding);
        CHECK(index.time_stamps.size() == 60);
    }
    b_frames.encoder = "mpeg2video";
    for (const char* name : {"b.ts", "b.mpg", "b.m2v"})
        CHECK(check_made(dir, name, b_frames).time_stamps.size() == 60);
    for (const char* encoder : {"ffv1", "huffyuv", "msmpeg4", "h263p", "wmv2"}) {
        CAPTURE(encoder);
        VideoPlan plan = plan_of(encoder, 30, 10);
        if (std::string(encoder) == "huffyuv") plan.pixel_format = "yuv422p";
        CHECK(check_made(dir, "c.avi", plan).source->counted_by_decoding);
    }
    check_made(dir, "d.wmv", plan_of("wmv2", 30, 10));
    check_made(dir, "d.nut", plan_of("ffv1", 30, 10));
}

TEST_CASE("raw frames of many kinds become grey", "[video]") {
    const TempDir dir;
    for (const char* format :
         {"yuv420p", "yuv422p", "yuv444p", "gray", "bgr24", "rgb24", "yuyv422", "uyvy422"}) {
        CAPTURE(format);
        VideoPlan plan = plan_of("rawvideo", 6, 1);
        plan.pixel_format = format;
        if (std::string(format) == "yuyv422" || std::string(format) == "uyvy422") continue;
        check_made(dir, "a.nut", plan);
    }
    VideoPlan y4m = plan_of("wrapped_avframe", 6, 1);
    check_made(dir, "a.y4m", y4m, {{}, "yuv4mpegpipe", false});
}

TEST_CASE("more bits, the full range and odd sizes", "[video]") {
    const TempDir dir;
    VideoPlan ten_bits = h264(40, 12, 2);
    ten_bits.pixel_format = "yuv420p10le";
    CHECK(check_made(dir, "a.mp4", ten_bits).source->facts.bits == 10);
    VideoPlan main10 = hevc(40, 12, 2, "");
    main10.pixel_format = "yuv420p10le";
    CHECK(check_made(dir, "b.mp4", main10).source->facts.bits == 10);
    VideoPlan full = h264(40, 12, 2);
    full.pixel_format = "yuvj420p";
    full.is_full_range = true;
    check_made(dir, "c.mp4", full);
    for (const auto& [width, height] : {std::pair{33, 17}, {34, 18}, {1, 1}, {16, 16}, {17, 130}}) {
        VideoPlan odd = plan_of("ffv1", 10, 5);
        odd.width = width;
        odd.height = height;
        CHECK(check_made(dir, "d.mkv", odd).source->facts.width == width);
        odd.encoder = "libvpx-vp9";
        odd.options = {{"cpu-used", "8"}, {"deadline", "realtime"}};
        check_made(dir, "d.webm", odd);
    }
    // H.264 stores a crop: of even sizes in 4:2:0, of odd ones in 4:4:4.
    VideoPlan cropped = h264(20, 10, 1);
    cropped.pixel_format = "yuv444p";
    cropped.width = 33;
    cropped.height = 17;
    CHECK(check_made(dir, "e.mp4", cropped).source->facts.height == 17);
}
