#include "lib/video/nvdec.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include "kernels/core/buffer.hpp"
#include "lib/video/ffmpeg.hpp"
#include "lib/video/index_video.hpp"
#include "lib/video/video_error.hpp"
#include "lib/video/video_frames.hpp"
#include "tests/support/gpu.hpp"

using namespace fovea;

namespace {

namespace fs = std::filesystem;

struct Clip {
    std::shared_ptr<const VideoSource> video;
    std::vector<std::int64_t> time_stamps;
    std::vector<VideoPart> parts;
};

/// Frames of a part as grey images, before they are turned.
using PartFrames = std::vector<GreyFrame>;

std::vector<VideoPart> parts_of(const std::shared_ptr<const VideoSource>& video) {
    std::vector<VideoPart> parts;
    PartReader reader(video, {});
    while (reader.next_part()) parts.push_back(take_part(video, reader));
    return parts;
}

/// The clips of FOVEA_DATA that the GPU's decoders take.
std::vector<Clip> clips_for(const Device& device) {
    std::vector<Clip> clips;
    if (!nvdec_library().loaded) {
        WARN("not run: " << nvdec_library().why_none);
        return clips;
    }
    const char* const data = std::getenv("FOVEA_DATA");
    if (data == nullptr) {
        WARN("not run: FOVEA_DATA is not set");
        return clips;
    }
    std::vector<fs::path> files;
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(data) / "video")) {
        if (entry.is_regular_file() && is_video_name(entry.path().filename().string()))
            files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    for (const fs::path& file : files) {
        try {
            VideoIndex index = index_video(file);
            const std::string why = why_not_by_nvdec(*index.source, device.index());
            if (why.empty()) {
                clips.push_back({index.source, std::move(index.time_stamps), parts_of(index.source)});
            } else {
                WARN(file.filename().string() << " is left out: " << why);
            }
        } catch (const VideoError&) {
            // No video, or a damaged one: tests of the index look at those.
        }
    }
    CHECK(!clips.empty());
    return clips;
}

/// The CPU's frames of a clip, by parts.
std::vector<PartFrames> frames_on_cpu(const Clip& clip) {
    VideoReadOptions options;
    options.threads = 4;
    options.for_display = false;
    VideoFrames frames(clip.video, options);
    std::vector<PartFrames> parts(clip.parts.size());
    for (std::size_t i = 0; i < clip.time_stamps.size(); ++i) {
        const auto number = static_cast<std::int64_t>(i);
        parts.at(part_of_frame(*clip.video, number))
            .push_back(frames.read({clip.video, number, clip.time_stamps[i]}));
    }
    return parts;
}

/// The CPU's frames of a part's packets, damaged or not.
PartFrames part_on_cpu(const VideoPart& part) {
    PartFrames frames;
    VideoDecoder decoder(*part.parameters, {});
    const auto take = [&] {
        while (decoder.receive()) {
            GreyFrame frame = decoder.grey();
            if (frame.has_time_stamp && part.stamps.contains(frame.time_stamp))
                frames.push_back(std::move(frame));
        }
    };
    for (const PacketPointer& packet : part.packets) {
        decoder.send(packet.get());
        take();
    }
    decoder.send(nullptr);
    take();
    return frames;
}

struct GpuFrames {
    PartFrames frames;
    std::string stopped;
};

/// All frames are queued before any is looked at, so that memory that is given back too early is seen.
GpuFrames part_on_gpu(const Device& device, NvdecSession& session, const VideoPart& part) {
    const VideoFacts& facts = part.video->facts;
    const auto bytes = static_cast<std::size_t>(facts.width) * static_cast<std::size_t>(facts.height);
    Buffer<std::uint8_t> images(device, bytes * part.packets.size());
    GpuFrames found;
    const auto take = [&](const NvdecFrame& frame) {
        REQUIRE(frame.luma.width == facts.width);
        REQUIRE(frame.luma.height == facts.height);
        REQUIRE(found.frames.size() < part.packets.size());
        std::uint8_t* const image = images.data() + bytes * found.frames.size();
        const LumaTask task{frame.luma, {image, facts.width, facts.height, facts.width}};
        luma_to_grey(device, {&task, 1});
        GreyFrame grey;
        grey.width = facts.width;
        grey.height = facts.height;
        grey.time_stamp = frame.time_stamp;
        grey.has_time_stamp = true;
        found.frames.push_back(std::move(grey));
    };
    found.stopped = session.decode(part, take).stopped;
    std::vector<std::uint8_t> pixels(bytes * found.frames.size());
    images.download(pixels.data(), pixels.size());
    for (std::size_t i = 0; i < found.frames.size(); ++i) {
        const auto from = pixels.begin() + static_cast<std::ptrdiff_t>(bytes * i);
        found.frames[i].pixels.assign(from, from + static_cast<std::ptrdiff_t>(bytes));
    }
    return found;
}

void check_equal(const PartFrames& found, const PartFrames& expected) {
    REQUIRE(found.size() == expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
        INFO("frame " << i << " of the part");
        REQUIRE(found[i].time_stamp == expected[i].time_stamp);
        const bool is_equal = found[i].pixels == expected[i].pixels;
        REQUIRE(is_equal);
    }
}

void check_part(const Device& device, NvdecSession& session, const Clip& clip, std::size_t number,
                const PartFrames& expected) {
    INFO(clip.video->file.string() << ", part " << number);
    const GpuFrames found = part_on_gpu(device, session, clip.parts[number]);
    CHECK(found.stopped.empty());
    INFO(found.stopped);
    check_equal(found.frames, expected);
}

/// A copy of a part with other bytes in the middle of some packets.
VideoPart damaged(const VideoPart& part, std::size_t every, int bytes) {
    VideoPart copy;
    copy.video = part.video;
    copy.parameters = part.parameters;
    copy.number = part.number;
    copy.stamps = part.stamps;
    copy.bytes = part.bytes;
    for (std::size_t i = 0; i < part.packets.size(); ++i) {
        PacketPointer packet = share_packet(*part.packets[i]);
        REQUIRE(av_packet_make_writable(packet.get()) >= 0);
        const int begin = packet->size / 2;
        for (int at = begin; i % every == every / 2 && at < std::min(packet->size, begin + bytes); ++at)
            packet->data[at] ^= 0xFF;
        copy.packets.push_back(std::move(packet));
    }
    return copy;
}

VideoSource source_of(const std::string& codec, const std::string& profile, const std::string& format) {
    VideoSource source;
    source.facts.codec = codec;
    source.facts.profile = profile;
    source.facts.pixel_format = format;
    source.facts.bits = format == "yuv420p10le" ? 10 : 8;
    source.facts.width = 640;
    source.facts.height = 360;
    return source;
}

}  // namespace

TEST_CASE("nvdec: videos that no GPU takes are told, whatever is there", "[video][gpu]") {
    using Catch::Matchers::Contains;
    VideoSource counted = source_of("h264", "High", "yuv420p");
    counted.counted_by_decoding = true;
    CHECK_THAT(why_not_by_nvdec(counted, 0), Contains("counted by decoding"));
    VideoSource stretched = source_of("h264", "High", "yuv420p");
    stretched.facts.pixel = {2, 1};
    CHECK_THAT(why_not_by_nvdec(stretched, 0), Contains("not square"));
    CHECK_THAT(why_not_by_nvdec(source_of("mjpeg", "", "yuvj420p"), 0), Contains("round"));
    CHECK_THAT(why_not_by_nvdec(source_of("mpeg4", "", "yuv420p"), 0), Contains("round"));
    CHECK_THAT(why_not_by_nvdec(source_of("svq1", "", "yuv410p"), 0), Contains("svq1"));
    CHECK_THAT(why_not_by_nvdec(source_of("h264", "High 4:2:2", "yuv422p"), 0), Contains("High 4:2:2"));
    CHECK_THAT(why_not_by_nvdec(source_of("vp9", "Profile 1", "yuv444p"), 0), Contains("yuv444p"));
    CHECK_THAT(why_not_by_nvdec(source_of("av1", "Main", ""), 0), Contains("unknown"));
}

TEST_CASE("nvdec: without its library, a sentence says so", "[video][gpu]") {
    const NvdecLibrary& library = nvdec_library();
    CHECK(library.loaded == library.why_none.empty());
    if (library.loaded) {
        WARN("not run: " << library.file << " is there");
        return;
    }
    CHECK_THAT(library.why_none, Catch::Matchers::Contains("NVDEC"));
    CHECK(why_not_by_nvdec(source_of("h264", "High", "yuv420p"), 0) == library.why_none);
    const Device cpu = Device::cpu();
    CHECK_THROWS_AS(NvdecSession(cpu), DeviceError);
}

TEST_CASE("nvdec: a session needs a GPU", "[video][gpu]") {
    const Device cpu = Device::cpu();
    CHECK_THROWS_AS(NvdecSession(cpu), DeviceError);
}

TEST_CASE("nvdec: frames, time stamps and pixels are those of the CPU", "[video][gpu]") {
    const auto device = test::gpu();
    if (!device) return;
    const std::vector<Clip> clips = clips_for(*device);
    std::optional<NvdecSession> shared;
    if (!clips.empty()) shared.emplace(*device);
    for (const Clip& clip : clips) {
        const std::vector<PartFrames> expected = frames_on_cpu(clip);
        NvdecSession alone(*device);
        for (std::size_t i = 0; i < clip.parts.size(); ++i) check_part(*device, alone, clip, i, expected[i]);
        // One session for all clips, from the last part to the first.
        for (std::size_t i = clip.parts.size(); i-- > 0;) check_part(*device, *shared, clip, i, expected[i]);
    }
}

TEST_CASE("nvdec: what is thrown passes through, and the session goes on", "[video][gpu]") {
    const auto device = test::gpu();
    if (!device) return;
    const std::vector<Clip> clips = clips_for(*device);
    if (clips.empty()) return;
    struct Enough {};
    NvdecSession session(*device);
    for (const Clip& clip : clips) {
        int frames = 0;
        CHECK_THROWS_AS(session.decode(clip.parts.front(),
                                       [&](const NvdecFrame&) {
                                           if (++frames == 3) throw Enough();
                                       }),
                        Enough);
        CHECK(frames == 3);
        INFO(clip.video->file.string());
        check_equal(part_on_gpu(*device, session, clip.parts.front()).frames,
                    part_on_cpu(clip.parts.front()));
    }
}

TEST_CASE("nvdec: damaged parts give right frames until the decoder stops", "[video][gpu]") {
    const auto device = test::gpu();
    if (!device) return;
    const std::vector<Clip> clips = clips_for(*device);
    if (clips.empty()) return;
    NvdecSession session(*device);
    for (const Clip& clip : clips) {
        // The chip tells damage in H.264 and HEVC alone; with others it must only not crash.
        const bool is_told = clip.video->facts.codec == "h264" || clip.video->facts.codec == "hevc";
        for (const auto& [every, bytes] : {std::pair{std::size_t{7}, 16}, {std::size_t{40}, 200}}) {
            const VideoPart part = damaged(clip.parts.front(), every, bytes);
            const GpuFrames found = part_on_gpu(*device, session, part);
            std::map<std::int64_t, GreyFrame> expected;
            for (GreyFrame& frame : part_on_cpu(part)) expected[frame.time_stamp] = std::move(frame);
            std::size_t wrong = 0;
            for (const GreyFrame& frame : found.frames) {
                const auto there = expected.find(frame.time_stamp);
                wrong += there == expected.end() || there->second.pixels != frame.pixels;
            }
            INFO(clip.video->file.string() << ": " << found.frames.size() << " frames of " << expected.size()
                                           << ", " << wrong << " wrong; stopped: " << found.stopped);
            if (is_told) CHECK(wrong == 0);
            if (found.stopped.empty()) CHECK(found.frames.size() == expected.size());
        }
        INFO("the session goes on: " << clip.video->file.string());
        check_equal(part_on_gpu(*device, session, clip.parts.front()).frames,
                    part_on_cpu(clip.parts.front()));
    }
}
