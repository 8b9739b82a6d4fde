// A file that is no video is refused with the reason; nothing else is opened, and no address is asked.

#include <cerrno>
#include <fstream>

#include <catch2/catch.hpp>
#include <netinet/in.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/files/descriptor.hpp"
#include "lib/video/part_reader.hpp"
#include "lib/video/video_decoder.hpp"
#include "lib/video/video_error.hpp"
#include "tests/lib/video/video_checks.hpp"
#include "tests/support/sources.hpp"
#include "tests/support/temp_dir.hpp"
#include "tests/support/video/mp4_boxes.hpp"
#include "tests/support/video/video_maker.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

namespace {

namespace fs = std::filesystem;

/// Sees whether a file is opened or read.
class OpenWatch {
  public:
    explicit OpenWatch(const fs::path& file) : events_(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {
        REQUIRE(::inotify_add_watch(events_.get(), file.c_str(), IN_OPEN | IN_ACCESS) >= 0);
    }
    bool was_opened() const {
        char event[4096];
        return ::read(events_.get(), event, sizeof event) > 0;
    }

  private:
    FileDescriptor events_;
};

/// A port that nobody should come to.
class ListeningPort {
  public:
    ListeningPort() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        REQUIRE(::bind(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
        REQUIRE(::listen(socket_.get(), 8) == 0);
        socklen_t length = sizeof address;
        REQUIRE(::getsockname(socket_.get(), reinterpret_cast<sockaddr*>(&address), &length) == 0);
        number_ = std::to_string(ntohs(address.sin_port));
    }
    const std::string& number() const { return number_; }
    /// True if somebody has connected since.
    bool was_asked() const {
        const FileDescriptor connection(::accept(socket_.get(), nullptr, nullptr));
        return static_cast<bool>(connection);
    }
    bool can_be_asked() const {
        const FileDescriptor client(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        address.sin_port = htons(static_cast<std::uint16_t>(std::stoi(number_)));
        return ::connect(client.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
    }

  private:
    FileDescriptor socket_;
    std::string number_;
};

VideoPlan small() {
    VideoPlan plan;
    plan.frames = 12;
    plan.options = {{"preset", "ultrafast"}};
    return plan;
}

}  // namespace

TEST_CASE("files that are no videos are refused with the reason", "[video]") {
    const TempDir dir;
    const std::string no_video = "is no video that can be read";
    CHECK(refusal_of(dir.write("text.mp4", "These are words, and no video.\n")) == no_video);
    CHECK(refusal_of(dir.write("empty.mp4", "")) == no_video);
    CHECK(refusal_of(dir.write("zeros.mkv", std::string(100000, '\0'))) == no_video);
    CHECK(refusal_of(dir.path() / "absent.mp4") == "no such file");
    fs::create_directory(dir.path() / "folder.mp4");
    CHECK(refusal_of(dir.path() / "folder.mp4") == "is not a regular file");
    REQUIRE(::mkfifo((dir.path() / "fifo.mp4").c_str(), 0600) == 0);
    CHECK(refusal_of(dir.path() / "fifo.mp4") == "is not a regular file");
    CHECK(refusal_of(fs::path("/dev/zero")) == "is not a regular file");

    const auto png = dir.path() / "picture.png";
    VideoPlan picture = small();
    picture.encoder = "png";
    picture.pixel_format = "gray";
    picture.frames = 1;
    picture.options.clear();
    make_video(png, picture, {{{"update", "1"}}, "image2", false});
    const auto renamed = dir.write("png.mp4", read_file_bytes(png));
    CHECK(refusal_of(renamed) == no_video);
    std::string wav = "RIFF";
    wav += std::string(
        "\x24\x10\0\0WAVEfmt \x10\0\0\0\1\0\1\0\x40\x1f\0\0\x80\x3e\0\0\2\0\x10\0data\0\x10\0\0", 40);
    CHECK(refusal_of(dir.write("sound.wav.mp4", wav + std::string(4096, '\0'))) == no_video);
    // A header that asks for more memory than FFmpeg ever gives is not a lack of memory.
    CHECK(refusal_of(test::source_dir() / "tests/data/fuzz/video/size-beyond-memory") == no_video);
    // Sound alone in a container of videos.
    make_video(dir.path() / "sound.mkv", std::vector<VideoPlan>{small()}, {{}, {}, true});
    CHECK_THAT(refusal_of([&] {
                   index_video(dir.path() / "sound.mkv", {1, 1, {}});
               }),
               Contains("is no video"));
}

TEST_CASE("no file and no address that a file names is opened", "[video]") {
    const TempDir dir;
    const auto good = dir.path() / "good.ts";
    make_video(good, small());
    const auto good_mov = dir.path() / "good.mov";
    make_video(good_mov, small());
    CHECK(refusal_of(good).empty());
    const ListeningPort port;
    REQUIRE(port.can_be_asked());
    REQUIRE(port.was_asked());
    const std::string host = "127.0.0.1:" + port.number();
    std::vector<std::pair<std::string, std::string>> files;
    for (const std::string& address :
         {std::string("good.ts"), good.string(), "file://" + good.string(), "http://" + host + "/good.ts",
          "tcp://" + host, "concat:" + good.string() + "|" + good.string(),
          "subfile,,start,0,end,0,,:" + good.string()}) {
        const std::string playlist = "#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n" +
                                     address + "\n#EXT-X-ENDLIST\n";
        for (const char* name : {"clip.mp4", "clip.ts", "clip.m3u8"}) files.emplace_back(name, playlist);
        files.emplace_back("clip.mp4", "ffconcat version 1.0\nfile '" + address + "'\n");
        files.emplace_back(
            "clip.mp4",
            "<?xml version=\"1.0\"?><MPD xmlns=\"urn:mpeg:dash:schema:mpd:2011\" type=\"static\"><Period>"
            "<AdaptationSet mimeType=\"video/mp4\"><Representation id=\"1\"><BaseURL>" +
                address + "</BaseURL></Representation></AdaptationSet></Period></MPD>");
        files.emplace_back("clip.mp4", "[Reference]\nRef1=" + address + "\n");
        files.emplace_back("clip.mp4", address + "\n");
    }
    files.emplace_back("clip.sdp",
                       "v=0\no=- 0 0 IN IP4 127.0.0.1\ns=clip\nc=IN IP4 127.0.0.1\nt=0 0\nm=video " +
                           port.number() + " RTP/AVP 96\na=rtpmap:96 H264/90000\n");
    files.emplace_back("clip.mp4", files.back().second);
    for (const auto& [name, content] : files) {
        CAPTURE(name, content);
        const auto file = dir.write("other/" + name, content);
        fs::copy_file(good, dir.path() / "other" / "good.ts", fs::copy_options::overwrite_existing);
        const OpenWatch watch(good), beside(dir.path() / "other" / "good.ts");
        CHECK(refusal_of(file) == "is no video that can be read");
        CHECK_FALSE(watch.was_opened());
        CHECK_FALSE(beside.was_opened());
        CHECK_FALSE(port.was_asked());
    }

    const auto movie = dir.write("movie.mov", with_samples_elsewhere(read_file_bytes(good_mov), good_mov));
    const OpenWatch watch(good_mov);
    CHECK_THAT(refusal_of(movie), Contains("no frame") || Contains("streams cannot be read"));
    CHECK_FALSE(watch.was_opened());
    // The watch would have seen it.
    read_file_bytes(good_mov);
    CHECK(watch.was_opened());
}

TEST_CASE("FFmpeg would follow the movie to its samples, if it were let", "[video]") {
    const TempDir dir;
    const auto samples = dir.path() / "good.mov";
    make_video(samples, small());
    const auto movie = dir.write("movie.mov", with_samples_elsewhere(read_file_bytes(samples), samples));
    CHECK(reference_frames(movie, {}, 1, {{"enable_drefs", "1"}, {"use_absolute_path", "1"}}).size() == 12);
    CHECK(reference_frames(movie).empty());
}

TEST_CASE("limits on frames and memory", "[video]") {
    const TempDir dir;
    const auto file = dir.path() / "a.mp4";
    make_video(file, small());
    VideoIndexOptions options;
    options.limits.max_pixels = 64 * 48;
    CHECK(index_video(file, options).time_stamps.size() == 12);
    options.limits.max_pixels = 64 * 48 - 1;
    CHECK(refusal_of([&] { index_video(file, options); }) ==
          "its frames have 64x48 pixels, more than are allowed; see --max-megapixels");

    const VideoIndex index = index_video(file);
    VideoReadOptions reading;
    reading.threads = 8;
    reading.limits.max_bytes = 1000;
    const auto first_frame = [&] { VideoFrames(index.source, reading).read(frame_of(index, 0)); };
    CHECK(refusal_of(first_frame) ==
          "needs 1 MiB while it is decoded, more than the memory limit allows; raise --memory-limit");
    // Enough for fewer threads.
    reading.limits.max_bytes = 64 * 48 * 12 / 8 * 21;
    const std::vector<ReferenceFrame> reference = reference_frames(file);
    VideoFrames frames(index.source, reading);
    for (std::size_t i = 0; i < 12; ++i)
        CHECK((frames.read(frame_of(index, i)).pixels == reference[i].pixels));
    reading.limits.max_bytes -= 1;
    CHECK_FALSE(refusal_of(first_frame).empty());
}

TEST_CASE("frames that grow beyond the limit within a stream are lost with the reason", "[video]") {
    const TempDir dir;
    struct Codec {
        const char* encoder;
        const char* extension;
        VideoPlan::Options options;
    };
    const auto codec =
        GENERATE(values<Codec>({{"libx264", ".h264", {}},
                                {"libx265", ".hevc", {{"x265-params", "log-level=none:pools=1"}}},
                                {"mpeg4", ".m4v", {}},
                                {"mjpeg", ".mjpeg", {}}}));
    const bool large_first = GENERATE(false, true);
    CAPTURE(codec.encoder, large_first);
    if (!has_encoder(codec.encoder)) return;
    VideoPlan plan = small();
    plan.encoder = codec.encoder;
    plan.options = codec.options;
    if (plan.encoder == "mjpeg") plan.pixel_format = "yuvj420p";
    const auto path = [&](const char* name) { return dir.path() / (std::string(name) + codec.extension); };
    ContainerPlan container;
    if (plan.encoder == "mpeg4") container.muxer = "m4v";
    plan.width = 320;
    plan.height = 240;
    make_video(path("small"), plan, container);
    const std::vector<ReferenceFrame> reference = reference_frames(path("small"));
    plan.width = 1024;
    plan.height = 1024;
    make_video(path("large"), plan, container);
    const std::string small_bytes = read_file_bytes(path("small")),
                      large_bytes = read_file_bytes(path("large"));
    const auto file = dir.write(std::string("both") + codec.extension,
                                large_first ? large_bytes + small_bytes : small_bytes + large_bytes);
    const std::size_t first_small = large_first ? 12 : 0, first_large = large_first ? 0 : 12;
    for (const int threads : {1, 2, 8}) {
        CAPTURE(threads);
        VideoIndexOptions options;
        options.threads = threads;
        options.limits.max_bytes = std::size_t{320} * 240 * 2 * 40;
        const VideoIndex index = index_video(file, options);
        REQUIRE(index.time_stamps.size() == 24);
        VideoReadOptions reading;
        reading.threads = threads;
        reading.limits = options.limits;
        VideoFrames frames(index.source, reading);
        for (std::size_t i = 0; i < 24; ++i) {
            CAPTURE(i);
            const bool is_large = i >= first_large && i < first_large + 12;
            if (is_large) {
                CHECK(refusal_of([&] { frames.read(frame_of(index, i)); }) ==
                      "needs 32 MiB while it is decoded, more than the memory limit allows; raise "
                      "--memory-limit");
            } else {
                CHECK((frames.read(frame_of(index, i)).pixels == reference[i - first_small].pixels));
            }
        }
    }
}

TEST_CASE("an index that is larger than the limit is refused", "[video]") {
    const TempDir dir;
    make_video(dir.path() / "a.mp4", small());
    const std::string bytes = read_file_bytes(dir.path() / "a.mp4");
    const VideoMemory before = video_memory();
    limit_video_memory({before.frames, std::size_t{4} << 20});
    // One track of many samples; and tracks of which each alone keeps within it.
    const std::string many = refusal_of(dir.write("b.mp4", with_samples(bytes, 1'000'000)));
    const std::string tracks = refusal_of(dir.write("c.mp4", with_samples(bytes, 100'000, 3)));
    const std::size_t frames = index_video(dir.path() / "a.mp4").time_stamps.size();
    limit_video_memory(before);
    CHECK(many == "its index needs more than the memory limit allows; raise --memory-limit");
    // FFmpeg leaves out the tracks that had no room.
    CHECK_FALSE(tracks.empty());
    CHECK(frames == 12);
}

TEST_CASE("a listing ends where there are enough frames", "[video]") {
    const TempDir dir;
    VideoPlan plan = small();
    plan.frames = 600;
    plan.b_frames = 2;
    plan.gop = 30;
    for (const auto& [encoder, name] : {std::pair("libx264", "a.mp4"), std::pair("mpeg4", "a.avi")}) {
        CAPTURE(name);
        plan.encoder = encoder;
        plan.options.clear();
        const auto file = dir.path() / name;
        make_video(file, plan);
        const VideoIndex all = index_video(file);
        REQUIRE(all.time_stamps.size() == 600);
        VideoIndexOptions options;
        options.is_enough = [](const VideoIndex& so_far) { return so_far.time_stamps.size() >= 100; };
        const VideoIndex some = index_video(file, options);
        CHECK(some.time_stamps.size() >= 100);
        CHECK(some.time_stamps.size() <= 200);
        CHECK(std::equal(some.time_stamps.begin(), some.time_stamps.end(), all.time_stamps.begin()));
        const std::vector<ReferenceFrame> reference = reference_frames(file);
        CHECK(wrong_frames(some, reference, every(1, some.time_stamps.size())).empty());
    }
}

TEST_CASE("a frame that a video does not have is told", "[video]") {
    const TempDir dir;
    const auto file = dir.path() / "a.mp4";
    make_video(file, small());
    const VideoIndex index = index_video(file);
    VideoFrames frames(index.source, {});
    CHECK(refusal_of([&] {
              frames.read({index.source, 12, VideoFrame::no_time_stamp});
          }) == "the video has no frame of this number");
    CHECK(refusal_of([&] {
              frames.read({index.source, 3, index.time_stamps[3] + 1});
          }) == "the decoder gives no such frame: the video is damaged or cut off here");
    // The packets behind it are still there.
    CHECK(frames.read(frame_of(index, 5)).time_stamp == index.time_stamps[5]);
}
