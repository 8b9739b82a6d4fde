#include "tests/lib/video/video_checks.hpp"

#include <cmath>

#include <catch2/catch.hpp>

#include "lib/video/part_reader.hpp"
#include "lib/video/video_error.hpp"

namespace fovea::test {
namespace {

bool is_same(const GreyFrame& frame, const ReferenceFrame& reference) {
    return frame.width == reference.width && frame.height == reference.height &&
           frame.pixels == reference.pixels;
}

void check_cuts(const VideoIndex& index) {
    const std::vector<VideoCut>& cuts = index.source->cuts;
    REQUIRE_FALSE(cuts.empty());
    CHECK(cuts.front() == VideoCut{0, index.time_stamps.front()});
    for (std::size_t part = 1; part < cuts.size(); ++part) {
        CHECK(cuts[part].frame > cuts[part - 1].frame);
        CHECK(cuts[part].time_stamp == index.time_stamps.at(static_cast<std::size_t>(cuts[part].frame)));
    }
}

/// Frames of one part, decoded on their own.
std::vector<GreyFrame> frames_of_part(const VideoPart& part, VideoDecoder& decoder) {
    std::vector<GreyFrame> frames;
    const auto take = [&] {
        while (decoder.receive()) {
            const GreyFrame frame = decoder.grey();
            if (part.stamps.contains(frame.time_stamp)) frames.push_back(frame);
        }
    };
    decoder.restart();
    for (const PacketPointer& packet : part.packets) {
        decoder.send(packet.get());
        take();
    }
    decoder.send(nullptr);
    take();
    return frames;
}

/// Parts alone, from the last to the first, by one decoder.
void check_parts_backwards(const VideoIndex& index, const std::vector<ReferenceFrame>& reference) {
    PartReader reader(index.source, {});
    std::vector<VideoPart> parts;
    while (reader.next_part()) parts.push_back(take_part(index.source, reader));
    REQUIRE(parts.size() == index.source->cuts.size());
    VideoDecoder decoder(*reader.parameters(), {});
    std::size_t end = reference.size();
    for (std::size_t number = parts.size(); number-- > 0;) {
        CAPTURE(number);
        CHECK(parts[number].number == number);
        const auto first = static_cast<std::size_t>(index.source->cuts[number].frame);
        const std::vector<GreyFrame> frames = frames_of_part(parts[number], decoder);
        REQUIRE(frames.size() == end - first);
        std::vector<std::size_t> wrong;
        for (std::size_t i = 0; i < frames.size(); ++i) {
            if (!is_same(frames[i], reference[first + i])) wrong.push_back(first + i);
        }
        CHECK(wrong == std::vector<std::size_t>{});
        end = first;
    }
}

}  // namespace

VideoFrame frame_of(const VideoIndex& index, std::size_t number) {
    return {index.source, static_cast<std::int64_t>(number), index.time_stamps.at(number)};
}

void check_times(const VideoIndex& index, const std::vector<ReferenceFrame>& reference) {
    std::vector<std::size_t> wrong;
    for (std::size_t i = 0; i < reference.size(); ++i) {
        if (!reference[i].time_stamp) continue;
        const double seconds = index.source->seconds(index.time_stamps[i]);
        if (index.time_stamps[i] != *reference[i].time_stamp ||
            std::abs(seconds - reference[i].seconds) > 5.01e-7) {
            wrong.push_back(i);
        }
    }
    CHECK(wrong == std::vector<std::size_t>{});
    // A video shows no frame before the one before it.
    std::vector<std::size_t> falling;
    for (std::size_t i = 1; i < index.time_stamps.size(); ++i) {
        if (frame_of(index, i).rising_stamp() <= frame_of(index, i - 1).rising_stamp()) falling.push_back(i);
    }
    CHECK(falling == std::vector<std::size_t>{});
}

std::vector<std::size_t> wrong_frames(const VideoIndex& index, const std::vector<ReferenceFrame>& reference,
                                      const std::vector<std::size_t>& numbers, int threads) {
    VideoReadOptions options;
    options.threads = threads;
    options.for_display = false;
    VideoFrames frames(index.source, options);
    std::vector<std::size_t> wrong;
    for (const std::size_t number : numbers) {
        try {
            if (is_same(frames.read(frame_of(index, number)), reference.at(number))) continue;
        } catch (const VideoError&) {
        }
        wrong.push_back(number);
    }
    return wrong;
}

std::vector<std::size_t> every(std::size_t step, std::size_t count, std::size_t first) {
    std::vector<std::size_t> numbers;
    for (std::size_t i = first; i < count; i += step) numbers.push_back(i);
    return numbers;
}

VideoIndex check_video(const std::filesystem::path& file, std::optional<int> stream) {
    CAPTURE(file.filename());
    const std::vector<ReferenceFrame> reference = reference_frames(file, stream);
    REQUIRE_FALSE(reference.empty());
    VideoIndex index = index_video(file, {stream, 1, {}});
    REQUIRE(index.time_stamps.size() == reference.size());
    check_times(index, reference);
    check_cuts(index);
    const std::vector<std::size_t> none;
    const std::size_t count = reference.size();
    CHECK(wrong_frames(index, reference, every(1, count)) == none);
    CHECK(wrong_frames(index, reference, every(1, count), 2) == none);
    CHECK(wrong_frames(index, reference, every(7, count)) == none);
    for (const VideoCut& cut : index.source->cuts) {
        const auto first = static_cast<std::size_t>(cut.frame);
        CHECK(wrong_frames(index, reference, every(5, std::min(count, first + 12), first)) == none);
    }
    if (!index.source->counted_by_decoding) check_parts_backwards(index, reference);
    return index;
}

std::string refusal_of(const std::function<void()>& act) {
    try {
        act();
    } catch (const VideoError& error) {
        return error.what();
    }
    return {};
}

std::string refusal_of(const std::filesystem::path& file) {
    return refusal_of([&] { index_video(file); });
}

}  // namespace fovea::test
