#include "lib/dataset/annotated_frames.hpp"

#include <cstdint>
#include <string_view>

#include "lib/core/spelling.hpp"

namespace fovea {
namespace {

constexpr std::string_view comment_mark = "annotated frames";
constexpr std::string_view every_word = " every ";

/// Frames at equal distances.
struct FrameRange {
    std::size_t first = 0;
    std::size_t last = 0;
    std::size_t step = 1;
};

std::optional<std::size_t> frame_number(std::string_view text, std::size_t least, std::size_t most) {
    const auto number =
        spelled_whole(trim(text), static_cast<std::int64_t>(least), static_cast<std::int64_t>(most));
    return number ? std::optional(static_cast<std::size_t>(*number)) : std::nullopt;
}

/// Reads "400", "300-320" or "1-171 every 5". \param least the smallest number that may come.
std::optional<FrameRange> frame_range(std::string_view text, std::size_t least, std::size_t most) {
    FrameRange range;
    const std::size_t dash = text.find('-');
    const std::optional<std::size_t> first = frame_number(text.substr(0, dash), least, most);
    if (!first) return std::nullopt;
    range.first = range.last = *first;
    if (dash == std::string_view::npos) return range;
    text.remove_prefix(dash + 1);
    const std::size_t word = text.find(every_word);
    const std::optional<std::size_t> last = frame_number(text.substr(0, word), range.first, most);
    if (!last) return std::nullopt;
    range.last = *last;
    if (word == std::string_view::npos) return range;
    const std::optional<std::size_t> step = frame_number(text.substr(word + every_word.size()), 1, most);
    if (!step) return std::nullopt;
    range.step = *step;
    return range;
}

std::optional<FrameNumbers> frame_numbers(std::string_view list, std::size_t most) {
    FrameNumbers frames;
    for (const std::string& part : split_list(list, ',')) {
        const auto range = frame_range(part, frames.empty() ? 1 : frames.back() + 1, most);
        if (!range) return std::nullopt;
        for (std::size_t frame = range->first; frame <= range->last; frame += range->step)
            frames.push_back(frame);
    }
    return frames;
}

/// The list of a comment `# annotated frames: LIST`, however it is spaced. Nothing for other lines.
std::optional<std::string_view> list_of(std::string_view line) {
    if (line.front() != '#') return std::nullopt;
    line = trim(line.substr(1));
    if (!line.starts_with(comment_mark)) return std::nullopt;
    line = trim(line.substr(comment_mark.size()));
    return line.starts_with(':') ? line.substr(1) : line;
}

/// The frames from frames[begin] on that lie at equal distances. Two frames are no range, unless they follow
/// each other.
std::size_t end_of_range(const FrameNumbers& frames, std::size_t begin) {
    if (begin + 1 == frames.size()) return begin + 1;
    const std::size_t step = frames[begin + 1] - frames[begin];
    std::size_t end = begin + 2;
    while (end < frames.size() && frames[end] - frames[end - 1] == step) ++end;
    return end - begin > 2 || step == 1 ? end : begin + 1;
}

}  // namespace

std::optional<FrameNumbers> read_annotated_frames(const TextFile& file, std::size_t most) {
    std::optional<FrameNumbers> frames;
    file.for_each_line([&](const TextLine& line) {
        const std::optional<std::string_view> list = list_of(line.text);
        if (!list) return;
        if (frames) file.fail(line, "one line with the annotated frames; an earlier one has them already");
        frames = frame_numbers(*list, most);
        if (!frames) {
            file.fail(line, "rising numbers of frames from 1 to " + std::to_string(most) +
                                ", e.g. \"# annotated frames: 1-171 every 5, 300-320, 400\"");
        }
    });
    return frames;
}

std::string annotated_frames_comment(const FrameNumbers& frames) {
    std::string text = "# " + std::string(comment_mark) + ":";
    for (std::size_t begin = 0; begin < frames.size();) {
        const std::size_t end = end_of_range(frames, begin);
        text += (begin == 0 ? " " : ", ") + std::to_string(frames[begin]);
        if (end - begin > 1) {
            const std::size_t step = frames[begin + 1] - frames[begin];
            text += "-" + std::to_string(frames[end - 1]);
            if (step > 1) text += std::string(every_word) + std::to_string(step);
        }
        begin = end;
    }
    return text;
}

}  // namespace fovea
