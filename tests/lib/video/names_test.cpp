// Names of frames, parts, times, and which frames are wanted.

#include <catch2/catch.hpp>

#include "lib/video/select_frames.hpp"

using namespace fovea;

namespace {

using Numbers = std::vector<std::size_t>;

VideoIndex listed(std::vector<std::int64_t> stamps, std::int64_t num, std::int64_t den) {
    auto source = std::make_shared<VideoSource>();
    source->time_base_num = num;
    source->time_base_den = den;
    source->cuts = {{0, stamps.front()}};
    return {source, std::move(stamps), {}};
}

VideoIndex of_even_rate(int frames, std::int64_t first, std::int64_t step, std::int64_t den) {
    std::vector<std::int64_t> stamps;
    for (int i = 0; i < frames; ++i) stamps.push_back(first + i * step);
    return listed(std::move(stamps), 1, den);
}

FrameSelection selection(std::size_t every, double per_second = 0, std::optional<double> from = {},
                         std::optional<double> to = {}) {
    return {every, per_second, from, to};
}

}  // namespace

TEST_CASE("names of frames", "[video]") {
    CHECK(frame_name("clip.mp4", 0) == "clip.mp4#000000");
    CHECK(frame_name("a/b.MKV", 123456) == "a/b.MKV#123456");
    CHECK(frame_name("clip.mp4", 12345678) == "clip.mp4#12345678");
    CHECK(frame_name("", 7) == "#000007");

    const auto split = split_frame_name("a/clip.mp4#000123");
    REQUIRE(split);
    CHECK(split->video == "a/clip.mp4");
    CHECK(split->number == 123);
    CHECK(split_frame_name("c#1.mp4#5")->video == "c#1.mp4");
    CHECK(split_frame_name("clip.MOV#9223372036854775807")->number == 9223372036854775807);
    for (const char* name : {"clip.mp4", "clip.mp4#", "clip.mp4#-1", "clip.mp4#+1", "clip.mp4# 1",
                             "clip.mp4#1 ", "clip.mp4#1x", "clip.mp4#0x1", "clip.mp4#9223372036854775808",
                             "clip.jpg#000001", "#000001", ".mp4#000001", "", "#", "clip.mp4#1#"}) {
        CAPTURE(name);
        CHECK_FALSE(split_frame_name(name));
    }
    // A video that is named as one may have any name, but an image's.
    CHECK(split_frame_name("a.d/clip.bin#000012")->video == "a.d/clip.bin");
    CHECK(split_frame_name("clip#1000000")->number == 1'000'000);
    for (const char* name : {"clip.bin#00012", "clip#1", "clip.heic#000001", ".clip#000001", "a/#000001"}) {
        CAPTURE(name);
        CHECK_FALSE(split_frame_name(name));
    }
    for (const std::int64_t number : {0LL, 9LL, 999999LL, 1000000LL, 9007199254740993LL}) {
        const std::string name = frame_name("x.webm", number);
        CHECK(split_frame_name(name)->number == number);
    }
}

TEST_CASE("names of videos", "[video]") {
    for (const char* name :
         {"a.mp4",        "A.MP4",   "b.m4v",      "b.MoV",   "c.mkv",  "c.webm", "d.avi",  "e.mpg",
          "e.mpeg",       "f.ts",    "f.mts",      "f.m2ts",  "g.wmv",  "h.ogv",  "i.3gp",  "j.y4m",
          "..mp4",        "k.l.mp4", "MOV001.MOD", "x.tod",   "x.mpe",  "x.m1v",  "x.mpv",  "x.m2t",
          "x.tp",         "x.trp",   "x.qt",       "x.f4v",   "x.divx", "x.rm",   "x.rmvb", "x.ogm",
          "GX010001.LRV", "x.insv",  "x.360",      "x.mjpeg", "x.mjpg", "x.wtv",  "x.gxf",  "x.vc1"}) {
        CAPTURE(name);
        CHECK(is_video_name(name));
    }
    for (const char* name : {"mp4", ".mp4", "a.mp", "a.mp44", "a.mp4.gz", "a.mp3", "a.jpg", "a.gif", "a", "",
                             ".", "a.", "a.mp4 ", "a.m3u8"}) {
        CAPTURE(name);
        CHECK_FALSE(is_video_name(name));
    }
}

TEST_CASE("seconds are rounded to microseconds", "[video]") {
    VideoSource video;
    const auto seconds = [&](std::int64_t stamp, std::int64_t num, std::int64_t den) {
        video.time_base_num = num;
        video.time_base_den = den;
        return video.seconds(stamp);
    };
    CHECK(seconds(0, 1, 90000) == 0);
    CHECK(seconds(1, 1, 3) == 0.333333);
    CHECK(seconds(2, 1, 3) == 0.666667);
    CHECK(seconds(1001, 1, 30000) == 0.033367);
    CHECK(seconds(-1, 1, 3) == -0.333333);
    CHECK(seconds(-2, 1, 3) == -0.666667);
    CHECK(seconds(1, 1, 2000000) == 0.000001);
    CHECK(seconds(-1, 1, 2000000) == -0.000001);
    CHECK(seconds(1, 1, 2000001) == 0);
    CHECK(seconds(7, 1001, 1000) == 7.007);
    // A day, to the microsecond; and 33 bits of a transport stream's clock.
    CHECK(seconds(86400LL * 90000 + 1, 1, 90000) == 86400.000011);
    CHECK(seconds((1LL << 33) - 1, 1, 90000) == 95443.717678);
    CHECK(seconds(std::numeric_limits<std::int64_t>::max(), 1, 1) == 9223372036854775807.0);
    CHECK(seconds(std::numeric_limits<std::int64_t>::min(), 1, 1) == -9223372036854775808.0);
}

TEST_CASE("the part of a frame is that of the cut before it", "[video]") {
    VideoSource video;
    video.cuts = {{0, 0}, {120, 4800}, {250, 10000}};
    CHECK(part_of_frame(video, 0) == 0);
    CHECK(part_of_frame(video, 119) == 0);
    CHECK(part_of_frame(video, 120) == 1);
    CHECK(part_of_frame(video, 249) == 1);
    CHECK(part_of_frame(video, 250) == 2);
    CHECK(part_of_frame(video, 1'000'000'000'000) == 2);
    CHECK(part_of_frame(video, -1) == 0);
}

TEST_CASE("every n-th frame, counted from the first", "[video]") {
    const VideoIndex index = of_even_rate(10, 0, 1, 25);
    CHECK(select_frames(index, {}) == Numbers{0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
    CHECK(select_frames(index, selection(3)) == Numbers{0, 3, 6, 9});
    CHECK(select_frames(index, selection(10)) == Numbers{0});
    CHECK(select_frames(index, selection(0)).size() == 10);
    // Whatever is cut off before.
    CHECK(select_frames(index, selection(3, 0, 0.16)) == Numbers{6, 9});
}

TEST_CASE("frames from one time up to another", "[video]") {
    const VideoIndex index = of_even_rate(6, 100, 4, 100);  // 1 s, 1.04 s, ...
    const auto within = [&](std::optional<double> from, std::optional<double> to) {
        return select_frames(index, selection(1, 0, from, to));
    };
    CHECK(within(1.04, 1.12) == Numbers{1, 2});
    CHECK(within(1.0400001, 1.1200001) == Numbers{2, 3});
    CHECK(within({}, 1.0) == Numbers{});
    CHECK(within({}, 1.04) == Numbers{0});
    CHECK(within(1.2, {}) == Numbers{5});
    CHECK(within(1.21, {}) == Numbers{});
    CHECK(within(1.1, 1.1) == Numbers{});
    CHECK(within(0, 5) == Numbers{0, 1, 2, 3, 4, 5});
}

TEST_CASE("at most so many frames a second, evenly", "[video]") {
    const auto taken = [](const VideoIndex& index, double rate) {
        return select_frames(index, selection(1, rate));
    };
    // 30 frames a second: 10 are every third, 20 are two of three.
    const VideoIndex even = of_even_rate(13, 0, 512, 15360);
    CHECK(taken(even, 10) == Numbers{0, 3, 6, 9, 12});
    CHECK(taken(even, 20) == Numbers{0, 2, 3, 5, 6, 8, 9, 11, 12});
    CHECK(taken(even, 30).size() == 13);
    CHECK(taken(even, 1000).size() == 13);
    CHECK(taken(even, 0.1) == Numbers{0});
    // The first frame begins the first second, whenever it is.
    CHECK(taken(of_even_rate(13, 123456, 512, 15360), 10) == Numbers{0, 3, 6, 9, 12});
    // A variable rate: 0, 0.3, 0.9, 1.0, 1.1, 3.5, 3.6, 4.0 seconds.
    const VideoIndex variable = listed({0, 300, 900, 1000, 1100, 3500, 3600, 4000}, 1, 1000);
    CHECK(taken(variable, 1) == Numbers{0, 3, 5, 7});
    CHECK(taken(variable, 2) == Numbers{0, 2, 3, 5, 7});
    // Together with the others: each condition alone, then all.
    CHECK(select_frames(variable, selection(3, 1, 0.5)) == Numbers{3});
}

TEST_CASE("times that a container rounded lose no frame of their rate", "[video]") {
    // 30 frames a second in milliseconds: 0, 33, 67, 100, ...
    for (const int rate : {24, 25, 30, 50, 60, 120}) {
        CAPTURE(rate);
        std::vector<std::int64_t> stamps;
        for (int i = 0; i < 600; ++i) stamps.push_back((2000 * i + rate) / (2 * rate));
        const VideoIndex index = listed(stamps, 1, 1000);
        CHECK(select_frames(index, selection(1, static_cast<double>(rate))).size() == 600);
        CHECK(select_frames(index, selection(1, rate / 2.0)).size() == 300);
    }
}
