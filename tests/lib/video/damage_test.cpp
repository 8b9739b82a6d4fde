// Damaged and cut files: what comes before the damage is right, and what does not come is told.

#include <random>

#include <catch2/catch.hpp>

#include "lib/video/video_error.hpp"
#include "tests/lib/video/video_checks.hpp"
#include "tests/support/temp_dir.hpp"
#include "tests/support/video/mp4_boxes.hpp"
#include "tests/support/video/video_maker.hpp"

using namespace fovea;
using namespace fovea::test;

namespace {

namespace fs = std::filesystem;

constexpr const char* missing = "the decoder gives no such frame: the video is damaged or cut off here";

/// A frame as it was read, or why it was not.
struct Outcome {
    std::vector<std::uint8_t> pixels;
    bool is_damaged = false;
    std::string reason;

    friend bool operator==(const Outcome&, const Outcome&) = default;
};

std::vector<Outcome> outcomes(const VideoIndex& index, int threads, std::size_t first = 0,
                              std::size_t step = 1) {
    VideoReadOptions options;
    options.threads = threads;
    VideoFrames frames(index.source, options);
    std::vector<Outcome> read;
    for (std::size_t i = first; i < index.time_stamps.size(); i += step) {
        Outcome& outcome = read.emplace_back();
        try {
            GreyFrame frame = frames.read(frame_of(index, i));
            outcome.pixels = std::move(frame.pixels);
            outcome.is_damaged = frame.is_damaged;
        } catch (const VideoError& error) {
            outcome.reason = error.what();
        }
    }
    return read;
}

std::size_t count_missing(const std::vector<Outcome>& read) {
    return static_cast<std::size_t>(std::count_if(read.begin(), read.end(), [](const Outcome& outcome) {
        return outcome.reason == missing && outcome.pixels.empty();
    }));
}

std::size_t count_read(const std::vector<Outcome>& read) {
    return static_cast<std::size_t>(std::count_if(
        read.begin(), read.end(), [](const Outcome& outcome) { return outcome.reason.empty(); }));
}

/// Frames at the beginning that are as they were before the damage.
std::size_t count_intact(const std::vector<Outcome>& read, const std::vector<ReferenceFrame>& before) {
    std::size_t i = 0;
    while (i < read.size() && i < before.size() && read[i].pixels == before[i].pixels) ++i;
    return i;
}

std::string with_damage(std::string bytes, double from, std::size_t count, std::uint32_t seed) {
    std::mt19937 random(seed);
    const auto begin = static_cast<std::size_t>(from * static_cast<double>(bytes.size()));
    for (std::size_t i = 0; i < count; ++i)
        bytes[begin + i * 7] =
            static_cast<char>(bytes[begin + i * 7] ^ static_cast<char>(1 + random() % 255));
    return bytes;
}

VideoPlan h264(int frames) {
    VideoPlan plan;
    plan.frames = frames;
    plan.gop = 25;
    plan.b_frames = 2;
    plan.options = {{"preset", "veryfast"}, {"x264-params", "scenecut=0"}};
    return plan;
}

}  // namespace

TEST_CASE("bytes that were changed spoil what is around them, with any number of threads", "[video]") {
    const TempDir dir;
    const auto whole = dir.path() / "whole.mkv";
    VideoPlan plan = h264(300);
    for (const char* encoder : {"libx264", "libx265", "libvpx", "libvpx-vp9", "mpeg4", "mjpeg"}) {
        plan.encoder = encoder;
        plan.pixel_format = "yuv420p";
        plan.options.clear();
        if (plan.encoder == "libx265")
            plan.options = {{"x265-params", "log-level=none:pools=1"}, {"preset", "ultrafast"}};
        if (plan.encoder == "libx264") plan.options = h264(1).options;
        if (plan.encoder.rfind("libvpx", 0) == 0)
            plan.options = {{"cpu-used", "8"}, {"deadline", "realtime"}};
        if (plan.encoder == "mjpeg") plan.pixel_format = "yuvj420p";
        if (plan.encoder == "mjpeg" || plan.encoder.rfind("libvpx", 0) == 0) plan.b_frames = 0;
        make_video(whole, plan);
        const std::vector<ReferenceFrame> before = reference_frames(whole);
        const std::string bytes = read_file_bytes(whole);
        for (std::uint32_t seed = 0; seed < 6; ++seed) {
            CAPTURE(encoder, seed);
            const auto file = dir.write("damaged.mkv", with_damage(bytes, 0.5, 1 + seed * 8, seed));
            const VideoIndex index = index_video(file, {{}, 1, {}});
            CHECK(index.time_stamps.size() <= 300);
            CHECK(index.time_stamps.size() >= 120);
            const std::vector<Outcome> read = outcomes(index, 1);
            CHECK(count_read(read) + count_missing(read) == read.size());
            CHECK(count_intact(read, before) >= 120);
            CHECK((outcomes(index, 2) == read));
            CHECK((outcomes(index, 4) == read));
            // Begun elsewhere, with others passed over.
            for (const std::size_t first : {130U, 170U, 251U}) {
                const std::vector<Outcome> some = outcomes(index, 2, first, 3);
                std::size_t different = 0;
                for (std::size_t i = 0; i < some.size(); ++i) different += some[i] != read[first + 3 * i];
                CHECK(different == 0);
            }
        }
    }
}

TEST_CASE("files that were cut off keep the frames before", "[video]") {
    const TempDir dir;
    for (const char* name : {"a.ts", "a.mkv", "a.mp4", "a.avi", "a.webm", "a.flv"}) {
        CAPTURE(name);
        VideoPlan plan = h264(300);
        ContainerPlan container;
        if (std::string(name) == "a.webm") {
            plan.encoder = "libvpx";
            plan.b_frames = 0;
            plan.options = {{"cpu-used", "8"}, {"deadline", "realtime"}};
        }
        // The index of frames stands in front.
        if (std::string(name) == "a.mp4") container.options = {{"movflags", "faststart"}};
        const auto whole = dir.path() / name;
        make_video(whole, plan, container);
        const std::vector<ReferenceFrame> before = reference_frames(whole);
        const std::string bytes = read_file_bytes(whole);
        for (const double part : {0.5, 0.61803, 0.97}) {
            const auto file = dir.write(
                std::string("cut-") + name,
                bytes.substr(0, static_cast<std::size_t>(part * static_cast<double>(bytes.size()))));
            const VideoIndex index = index_video(file, {{}, 1, {}});
            const std::vector<Outcome> read = outcomes(index, 1);
            CHECK(read.size() <= 300);
            CHECK(read.size() > 100);
            // The last frames may lack bytes, or a reference that never came.
            CHECK(count_intact(read, before) + 5 >= read.size());
            CHECK((outcomes(index, 2) == read));
        }
        CHECK_FALSE(refusal_of(dir.write(std::string("stub-") + name, bytes.substr(0, 40))).empty());
    }
    // Behind the frames, the list of them is lost.
    const auto whole = dir.path() / "b.mp4";
    make_video(whole, h264(50));
    CHECK(refusal_of(dir.write("c.mp4", read_file_bytes(whole).substr(0, fs::file_size(whole) / 2))) ==
          "is no video that can be read");
}

TEST_CASE("damage anywhere in a file gives the same frames and marks, with any number of threads",
          "[video]") {
    const TempDir dir;
    struct Kind {
        const char* encoder;
        const char* name;
    };
    const auto kind = GENERATE(values<Kind>({{"mpeg1video", "a.mpg"},
                                             {"mpeg2video", "a.avi"},
                                             {"mpeg2video", "a.ts"},
                                             {"mpeg4", "a.avi"},
                                             {"libx264", "a.mp4"},
                                             {"libx265", "a.mp4"},
                                             {"libvpx-vp9", "a.webm"},
                                             {"mjpeg", "a.avi"}}));
    if (!has_encoder(kind.encoder)) return;
    VideoPlan plan;
    plan.encoder = kind.encoder;
    plan.width = 128;
    plan.height = 96;
    plan.frames = 24;
    plan.gop = 12;
    if (plan.encoder == "mjpeg") plan.pixel_format = "yuvj420p";
    if (plan.encoder == "libx265") plan.options = {{"x265-params", "log-level=none:pools=1"}};
    if (plan.encoder == "libvpx-vp9") plan.options = {{"cpu-used", "8"}, {"deadline", "realtime"}};
    if (plan.encoder.starts_with("mpeg")) plan.b_frames = 2;
    make_video(dir.path() / kind.name, plan);
    const std::string whole = read_file_bytes(dir.path() / kind.name);
    std::mt19937 random(7);
    std::size_t damaged = 0, files = 0;
    for (int i = 0; i < 12; ++i) {
        std::string bytes = whole;
        for (std::uint32_t changes = 1 + random() % 20; changes > 0; --changes)
            bytes[random() % bytes.size()] = static_cast<char>(random());
        const auto file = dir.write("damaged" + std::to_string(i) + kind.name, bytes);
        CAPTURE(kind.encoder, kind.name, i);
        if (!refusal_of(file).empty()) continue;
        const VideoIndex index = index_video(file, {{}, 1, {}});
        // Headers that are damaged stand before all frames.
        if (const std::string reason = refusal_of([&] { VideoFrames(index.source, {}); }); !reason.empty()) {
            CHECK(refusal_of([&] { outcomes(index, 8); }) == reason);
            continue;
        }
        const std::vector<Outcome> one = outcomes(index, 1);
        for (const int threads : {2, 3, 8}) {
            CAPTURE(threads);
            CHECK(index_video(file, {{}, threads, {}}).time_stamps == index.time_stamps);
            CHECK((outcomes(index, threads) == one));
        }
        const auto marked = std::count_if(one.begin(), one.end(), [](const Outcome& outcome) {
            return outcome.is_damaged || !outcome.reason.empty();
        });
        files += marked > 0;
        damaged += static_cast<std::size_t>(marked);
    }
    // One mark does not spread to the frames behind: packets of AVI and MPEG have no time stamps.
    if (plan.encoder == "mpeg2video" && files > 0) CHECK(damaged < 16 * files);
}
