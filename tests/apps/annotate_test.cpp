// fovea track --annotate: the sound, the times and the shape of annotated videos.

#include <algorithm>
#include <cmath>
#include <filesystem>

#include <catch2/catch.hpp>

#include "lib/json/json.hpp"
#include "tests/support/archives.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/temp_dir.hpp"
#include "tests/support/video/mp4_boxes.hpp"
#include "tests/support/video/reference_frames.hpp"
#include "tests/support/video/sound_packets.hpp"
#include "tests/support/video/video_maker.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

namespace {

namespace fs = std::filesystem;

bool can_encode() {
    const bool is_there = has_encoder("libx264");
    if (!is_there) WARN("not run: FFmpeg has no libx264 here");
    return is_there;
}

struct Workshop {
    std::string path(const std::string& name) const { return (dir.path() / name).string(); }

    ProgramResult annotate(const std::string& video, const std::string& to,
                           const std::vector<std::string>& more = {}) const {
        std::vector<std::string> words{"track",      path(video), "--out",    path("tracks"), "--overwrite",
                                       "--annotate", path(to),    "--device", "cpu"};
        words.insert(words.end(), more.begin(), more.end());
        ProgramResult result = run_fovea(words);
        INFO(result.err);
        REQUIRE(result.exit_code == 0);
        return result;
    }
    std::string bytes(const std::string& name) const { return read_file_bytes(path(name)); }

    TempDir dir;
};

VideoPlan two_seconds() {
    VideoPlan plan;
    plan.b_frames = 2;
    return plan;
}

/// The times of a file's frames.
std::vector<double> times_of(const fs::path& file) {
    std::vector<double> times;
    for (const ReferenceFrame& frame : reference_frames(file, {}, 0)) times.push_back(frame.seconds);
    return times;
}

/// True if the packets are equal, but for a header of ADTS before those of a transport stream.
bool are_equal(const SoundPacket& source, const SoundPacket& copy) {
    return source.bytes == copy.bytes ||
           source.bytes.substr(std::min<std::size_t>(7, source.bytes.size())) == copy.bytes;
}

/// All packets of the source stand in the copy, as far from the pictures as there.
void check_same_sound(const fs::path& source, const fs::path& copy) {
    const FileStreams from = streams_of(source), to = streams_of(copy);
    REQUIRE(to.sound.size() == from.sound.size());
    const std::vector<double> from_times = times_of(source), to_times = times_of(copy);
    REQUIRE(to_times.size() == from_times.size());
    for (std::size_t i = 0; i < to_times.size(); ++i)
        CHECK(to_times[i] - to_times[0] == Approx(from_times[i] - from_times[0]).margin(1.1e-3));
    const double shift = from_times[0] - to_times[0];
    for (std::size_t s = 0; s < to.sound.size(); ++s) {
        const std::vector<SoundPacket>&a = from.sound[s].packets, &b = to.sound[s].packets;
        // MP4 has one number for all layers of MPEG-1 audio.
        CHECK((to.sound[s].codec == from.sound[s].codec || from.sound[s].codec == "mp2"));
        CHECK(to.sound[s].channels == from.sound[s].channels);
        CHECK(to.sound[s].language == from.sound[s].language);
        REQUIRE(a.size() > 10);
        REQUIRE(b.size() == a.size());
        for (std::size_t i = 0; i < a.size(); ++i) {
            if (!are_equal(a[i], b[i])) FAIL("packet " << i << " differs");
            if (std::abs(a[i].seconds - shift - b[i].seconds) > 2.1e-3)
                FAIL("packet " << i << " at " << a[i].seconds << " is at " << b[i].seconds << ", not "
                               << a[i].seconds - shift);
        }
    }
}

}  // namespace

TEST_CASE("an annotated video has the sound as it is stored", "[cli][track][video]") {
    if (!can_encode()) return;
    const Workshop w;
    const std::vector<std::pair<std::string, std::string>> kinds{
        {"a.mp4", "aac"},  {"b.mkv", "libopus"},    {"c.ts", "ac3"},  {"d.ts", "aac"},
        {"e.mkv", "flac"}, {"f.mp4", "libmp3lame"}, {"g.mpg", "mp2"}, {"h.mkv", "libvorbis"}};
    for (const auto& [name, encoder] : kinds) {
        CAPTURE(name, encoder);
        if (!has_encoder(encoder)) {
            WARN("not run: FFmpeg has no " << encoder << " here");
            continue;
        }
        VideoPlan plan = two_seconds();
        if (name == "g.mpg") {
            plan.encoder = "mpeg2video";
            plan.b_frames = 0;
        }
        make_video(w.path(name), plan, {.sound = {{.encoder = encoder}}});
        const ProgramResult result = w.annotate(name, "out.mp4");
        CHECK_THAT(result.err, !Contains("sound"));
        check_same_sound(w.path(name), w.path("out.mp4"));
        CHECK(times_of(w.path("out.mp4")).front() == Approx(0).margin(0.12));
        const FileStreams streams = streams_of(w.path("out.mp4"));
        CHECK_THAT(streams.container, Contains("mp4"));
        CHECK(streams.seconds == Approx(2).margin(0.12));
        // The frame rate decides: 64x48 at 25 frames a second need the lowest one.
        CHECK(streams.level == 10);
    }
}

TEST_CASE("an annotated video has all streams of sound with all channels", "[cli][track][video]") {
    if (!can_encode()) return;
    const Workshop w;
    make_video(w.path("two.mp4"), two_seconds(),
               {.sound = {{.channels = 6, .language = "deu"}, {.channels = 2, .language = "fra"}}});
    w.annotate("two.mp4", "out.mp4");
    check_same_sound(w.path("two.mp4"), w.path("out.mp4"));
    CHECK(streams_of(w.path("out.mp4")).sound.at(1).language == "fra");
    // In an archive, too.
    write_archive(w.path("clips.zip"), {{"in/two.mp4", w.bytes("two.mp4")}}, TestArchive::zip);
    w.annotate("clips.zip", "of-archive.mp4");
    CHECK(w.bytes("of-archive.mp4") == w.bytes("out.mp4"));
}

TEST_CASE("sound that MP4 cannot hold is told, and Matroska holds it", "[cli][track][video]") {
    if (!can_encode()) return;
    const Workshop w;
    VideoPlan plan = two_seconds();
    plan.encoder = "mjpeg";
    plan.b_frames = 0;
    plan.pixel_format = "yuvj420p";
    plan.is_full_range = true;
    make_video(w.path("pcm.avi"), plan, {.sound = {{.encoder = "pcm_s16le"}}});
    const ProgramResult result = w.annotate("pcm.avi", "out.mp4");
    const std::string sentence =
        "the sound of 'pcm.avi' (pcm_s16le) is left out, because MP4 cannot hold it; a file that ends in "
        ".mkv can";
    CHECK_THAT(result.err, Contains(sentence));
    CHECK(Json::parse(w.bytes("tracks/run.json"))["annotated"]["notes"] == Json::array({sentence}));
    CHECK(streams_of(w.path("out.mp4")).sound.empty());
    CHECK(times_of(w.path("out.mp4")).size() == 50);

    CHECK_THAT(w.annotate("pcm.avi", "out.mkv").err, !Contains("sound"));
    CHECK_THAT(streams_of(w.path("out.mkv")).container, Contains("matroska"));
    const FileStreams from = streams_of(w.path("pcm.avi")), to = streams_of(w.path("out.mkv"));
    std::string a, b;
    for (const SoundPacket& packet : from.sound.at(0).packets) a += packet.bytes;
    for (const SoundPacket& packet : to.sound.at(0).packets) b += packet.bytes;
    CHECK(!a.empty());
    CHECK(a == b);
}

TEST_CASE("a part of a video is annotated with its part of the sound", "[cli][track][video]") {
    if (!can_encode()) return;
    const Workshop w;
    make_video(w.path("clip.mp4"), two_seconds(), {.sound = {{}}});
    w.annotate("clip.mp4", "part.mp4", {"--from", "0.8", "--to", "1.4"});
    const std::vector<double> times = times_of(w.path("part.mp4"));
    REQUIRE(times.size() == 15);
    for (std::size_t i = 0; i < times.size(); ++i)
        CHECK(times[i] == Approx(0.04 * static_cast<double>(i)).margin(1e-3));
    const std::vector<SoundPacket> whole = streams_of(w.path("clip.mp4")).sound.at(0).packets;
    const FileStreams streams = streams_of(w.path("part.mp4"));
    CHECK(streams.seconds == Approx(0.6).margin(0.03));
    std::vector<SoundPacket> expected;
    for (const SoundPacket& packet : whole) {
        if (packet.seconds >= 0.8 && packet.seconds < 1.4) expected.push_back(packet);
    }
    REQUIRE(streams.sound.at(0).packets.size() == expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        CHECK(streams.sound[0].packets[i].bytes == expected[i].bytes);
        CHECK(streams.sound[0].packets[i].seconds == Approx(expected[i].seconds - 0.8).margin(1e-3));
    }
    // Every fifth frame is shown for as long as five, and all of the sound goes on.
    w.annotate("clip.mp4", "some.mp4", {"--fps", "5"});
    const std::vector<double> some = times_of(w.path("some.mp4"));
    REQUIRE(some.size() == 10);
    CHECK(some[9] == Approx(1.8).margin(1e-3));
    CHECK(streams_of(w.path("some.mp4")).sound.at(0).packets.size() == whole.size());
    CHECK(streams_of(w.path("some.mp4")).seconds == Approx(2).margin(0.03));
}

TEST_CASE("an annotated video begins with the earlier of picture and sound", "[cli][track][video]") {
    if (!can_encode()) return;
    const Workshop w;
    VideoPlan late = two_seconds();
    late.b_frames = 0;
    for (int i = 0; i < 20; ++i) late.times_ms.push_back(5000 + 40 * i + (i % 3) * 7);
    late.frames = 20;
    make_video(w.path("late.mkv"), late);
    w.annotate("late.mkv", "late.mp4");
    const std::vector<double> alone = times_of(w.path("late.mp4"));
    REQUIRE(alone.size() == 20);
    for (std::size_t i = 0; i < 20; ++i)
        CHECK(alone[i] == Approx(static_cast<double>(late.times_ms[i] - 5000) / 1000).margin(1e-3));
    make_video(w.path("earlier.mkv"), late,
               {.sound = {{.encoder = "flac", .from_seconds = 4.5, .to_seconds = 6}}});
    w.annotate("earlier.mkv", "earlier.mp4");
    check_same_sound(w.path("earlier.mkv"), w.path("earlier.mp4"));
    CHECK(times_of(w.path("earlier.mp4")).front() == Approx(0.5).margin(2e-3));
    CHECK(streams_of(w.path("earlier.mp4")).sound.at(0).packets.front().seconds == Approx(0).margin(2e-3));
}

TEST_CASE("where the clock goes back the sound goes with the pictures", "[cli][track][video]") {
    if (!can_encode()) return;
    const Workshop w;
    VideoPlan plan = two_seconds();
    plan.b_frames = 0;
    make_video(w.path("first.ts"), plan, {.sound = {{.encoder = "ac3"}}});
    plan.width = 96;
    make_video(w.path("second.ts"), plan, {.sound = {{.encoder = "ac3"}}});
    w.dir.write("joined.ts", w.bytes("first.ts") + w.bytes("second.ts"));
    w.annotate("joined.ts", "out.mp4");
    const std::vector<double> times = times_of(w.path("out.mp4"));
    REQUIRE(times.size() == 100);
    for (std::size_t i = 0; i < times.size(); ++i)
        CHECK(times[i] - times[0] == Approx(0.04 * static_cast<double>(i)).margin(1e-3));
    const FileStreams first = streams_of(w.path("first.ts")), out = streams_of(w.path("out.mp4"));
    const std::vector<SoundPacket>&half = first.sound.at(0).packets, &all = out.sound.at(0).packets;
    REQUIRE(all.size() == 2 * half.size());
    const double first_picture = times_of(w.path("first.ts")).front();
    for (std::size_t i = 0; i < all.size(); ++i) {
        const std::size_t k = i % half.size();
        CHECK(all[i].bytes == half[k].bytes);
        const double behind_picture = half[k].seconds - first_picture;
        CHECK(all[i].seconds - times[i < half.size() ? 0 : 50] == Approx(behind_picture).margin(2e-3));
    }
}

TEST_CASE("an annotated video is shown as its source", "[cli][track][video]") {
    if (!can_encode()) return;
    const Workshop w;
    VideoPlan plan = two_seconds();
    plan.frames = 5;
    plan.sample_aspect = {2, 1};
    constexpr std::int32_t one = 1 << 16;
    plan.matrix = {0, one, 0, -one, 0, 0, 0, 0, 1 << 30};  // to the right
    plan.options = {{"colorspace", "bt709"}};
    make_video(w.path("turned.mp4"), plan);
    // The pixels are stretched and turned, and the file says nothing of it.
    w.annotate("turned.mp4", "baked.mp4");
    const std::vector<ReferenceFrame> baked = reference_frames(w.path("baked.mp4"));
    REQUIRE(baked.size() == 5);
    CHECK((baked[0].width == 48 && baked[0].height == 128));
    FileStreams streams = streams_of(w.path("baked.mp4"));
    CHECK(streams.rotation == 0);
    CHECK(streams.sample_aspect[0] == streams.sample_aspect[1]);
    CHECK(streams.colour_matrix == 1);
    // Or the other way round.
    const std::string config =
        w.dir.write("plain.json", R"({"image": {"apply_exif_orientation": false}})").string();
    w.annotate("turned.mp4", "kept.mp4", {"--config", config});
    const std::vector<ReferenceFrame> kept = reference_frames(w.path("kept.mp4"));
    REQUIRE(kept.size() == 5);
    CHECK((kept[0].width == 64 && kept[0].height == 48));
    streams = streams_of(w.path("kept.mp4"));
    CHECK(streams.rotation == streams_of(w.path("turned.mp4")).rotation);
    CHECK(streams.rotation == -90);
    CHECK((streams.sample_aspect[0] == 2 && streams.sample_aspect[1] == 1));
}

TEST_CASE("pictures of an archive are annotated", "[cli][track]") {
    if (!can_encode()) return;
    const Workshop w;
    std::vector<TestMember> members;
    for (int i = 0; i < 4; ++i) {
        members.push_back({"clip/" + std::to_string(i) + ".pgm",
                           "P5\n64 48\n255\n" + std::string(64 * 48, static_cast<char>(40 + 40 * i))});
    }
    for (const TestPacking packing : {TestPacking::none, TestPacking::gzip}) {
        write_archive(w.path("clip.tar"), members, TestArchive::ustar, packing);
        w.annotate("clip.tar", "out.mp4");
        const std::vector<ReferenceFrame> frames = reference_frames(w.path("out.mp4"));
        REQUIRE(frames.size() == 4);
        for (std::size_t i = 0; i < 4; ++i) {
            CHECK(frames[i].seconds == Approx(0.04 * static_cast<double>(i)).margin(1e-3));
            CHECK(std::abs(frames[i].pixels[24 * 64 + 32] - (40.0 + 40.0 * static_cast<double>(i))) <= 3);
        }
    }
}
