#include <algorithm>
#include <memory>

#include "lib/video/index_video.hpp"
#include "lib/video/part_reader.hpp"
#include "lib/video/video_frames.hpp"
#include "tests/fuzz/checks.hpp"
#include "tests/fuzz/files.hpp"
#include "tests/fuzz/targets.hpp"

namespace fovea::fuzz {
namespace {

constexpr std::size_t max_frames = 64;

VideoLimits small_limits() {
    return {256 * 256, std::size_t{64} << 20};
}

void check_index(const VideoIndex& index) {
    const std::vector<VideoCut>& cuts = index.source->cuts;
    require(!index.time_stamps.empty() && !cuts.empty(), "a video without frames is listed");
    require(cuts.front() == VideoCut{0, index.time_stamps.front()},
            "a video does not begin at its first frame");
    for (std::size_t i = 1; i < cuts.size(); ++i) {
        require(cuts[i].frame > cuts[i - 1].frame, "cuts do not rise");
        require(static_cast<std::size_t>(cuts[i].frame) < index.time_stamps.size() &&
                    index.time_stamps[static_cast<std::size_t>(cuts[i].frame)] == cuts[i].time_stamp,
                "a cut is not at a frame");
    }
    for (std::size_t i = 1; i < index.time_stamps.size(); ++i) {
        const auto time = [&](std::size_t frame) {
            return index.source->rising_stamp(static_cast<std::int64_t>(frame), index.time_stamps[frame]);
        };
        require(difference_of_stamps(time(i), time(i - 1)) > 0, "a frame is not shown behind the one before");
    }
    if (index.source->counted_by_decoding) return;
    require(
        std::adjacent_find(index.time_stamps.begin(), index.time_stamps.end(),
                           [](std::int64_t a, std::int64_t b) { return a >= b; }) == index.time_stamps.end(),
        "times of frames do not rise");
}

void check_parts(const VideoIndex& index) {
    PartReader reader(index.source, small_limits());
    std::size_t parts = 0;
    while (reader.next_part()) {
        const VideoPart part = take_part(index.source, reader);
        require(part.number == parts++, "parts do not follow one another");
    }
    require(parts == index.source->cuts.size(), "a video has other parts than cuts");
}

/// Frames from `first` on, a frame in so many; nothing where there is none.
std::vector<std::optional<GreyFrame>> read_frames(const VideoIndex& index, std::size_t first,
                                                  std::size_t step) {
    VideoReadOptions options;
    options.limits = small_limits();
    std::vector<std::optional<GreyFrame>> read;
    VideoFrames frames(index.source, options);
    for (std::size_t i = first; i < index.time_stamps.size() && read.size() < max_frames; i += step) {
        read.push_back(if_readable([&] {
            return frames.read({index.source, static_cast<std::int64_t>(i), index.time_stamps[i]});
        }));
    }
    return read;
}

}  // namespace

/// A video file, whatever its name says: its frames listed, its parts, and frames of it from the beginning
/// and from its middle on.
void read_video_target(std::string_view input) {
    const auto file = write_input("video/v.mp4", input);
    const VideoIndex index = index_video(file, {{}, 1, small_limits()});
    check_index(index);
    check_parts(index);
    const std::size_t count = index.time_stamps.size();
    const std::size_t step = (count + max_frames - 1) / max_frames;
    const auto frames = read_frames(index, 0, step);
    for (const auto& frame : frames) {
        if (!frame) continue;
        require(std::int64_t{frame->width} * frame->height <= small_limits().max_pixels,
                "a frame is larger than allowed");
        require(frame->pixels.size() ==
                    static_cast<std::size_t>(frame->width) * static_cast<std::size_t>(frame->height),
                "a frame has other pixels than its size says");
    }
    const std::size_t middle = frames.size() / 2;
    const auto rest = read_frames(index, middle * step, step);
    require(std::equal(rest.begin(), rest.end(), frames.begin() + static_cast<std::ptrdiff_t>(middle)),
            "a frame is another one where reading begins at it");
}

}  // namespace fovea::fuzz
