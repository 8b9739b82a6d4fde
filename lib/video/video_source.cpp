#include "lib/video/video_source.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <system_error>

#include "kernels/orient/orient_body.hpp"

namespace fovea {
namespace {

// The number of digits that frame_name() writes at least.
constexpr std::size_t usual_digits = 6;

bool may_be_a_video(std::string_view name, std::size_t digits) {
    if (is_video_name(name)) return true;
    const std::string_view file = name.substr(name.rfind('/') + 1);
    return digits >= usual_digits && !file.empty() && file.front() != '.' && !is_image_name(file);
}

/// Gives each frame of a video a time behind the one before.
class RisingClock {
  public:
    explicit RisingClock(const ClockRules& rules) : rules_(rules) {}

    /// The number that is added to the time stamp of the next frame.
    std::int64_t offset_for(std::int64_t stamp) {
        if (!has_begun_) {
            has_begun_ = true;
            last_ = stamp;
            return 0;
        }
        const std::int64_t expected = sum_of_stamps(last_, rules_.step);
        std::optional<std::int64_t> nearest;
        // The clock in use, or the file's own again.
        for (const std::int64_t offset : {offset_, std::int64_t{0}}) {
            const std::int64_t time = sum_of_stamps(stamp, offset);
            if (!goes_on_to(time, expected)) continue;
            if (!nearest || distance(time, expected) < distance(*nearest, expected)) {
                nearest = time;
                offset_ = offset;
            }
        }
        const bool rises = nearest && difference_of_stamps(*nearest, last_) > 0;
        if (rises) {
            last_ = *nearest;
        } else if (nearest && !has_slipped_) {
            last_ = sum_of_stamps(last_, 1);
        } else {
            last_ = expected;
            offset_ = difference_of_stamps(expected, stamp);
        }
        has_slipped_ = !rises;
        return difference_of_stamps(last_, stamp);
    }

  private:
    bool goes_on_to(std::int64_t time, std::int64_t expected) const {
        return difference_of_stamps(time, last_) >= -rules_.max_back &&
               difference_of_stamps(time, expected) <= rules_.max_leap;
    }
    static std::uint64_t distance(std::int64_t a, std::int64_t b) {
        const std::int64_t difference = difference_of_stamps(a, b);
        const auto bits = static_cast<std::uint64_t>(difference);
        return difference < 0 ? 0 - bits : bits;
    }

    const ClockRules rules_;
    bool has_begun_ = false;
    bool has_slipped_ = false;  // the frame before did not go on
    std::int64_t offset_ = 0;   // of the clock in use
    std::int64_t last_ = 0;     // time of the frame before
};

}  // namespace

Size squared_size(const PixelShape& pixel, Size stored) {
    const std::int64_t width =
        (2 * std::int64_t{stored.width} * pixel.width + pixel.height) / (2 * std::int64_t{pixel.height});
    // Codecs that state the shape of the whole picture round that of its pixels.
    if (100 * std::abs(width - stored.width) < stored.width) return stored;
    constexpr std::int64_t most = std::numeric_limits<int>::max();
    return {static_cast<int>(std::clamp<std::int64_t>(width, 1, most)), stored.height};
}

bool has_square_pixels(const VideoFacts& facts) {
    const Size stored{facts.width, facts.height};
    return squared_size(facts.pixel, stored) == stored;
}

Size shown_size(const VideoFacts& facts) {
    return displayed_size(orient_rule(facts.orientation),
                          squared_size(facts.pixel, {facts.width, facts.height}));
}

std::int64_t sum_of_stamps(std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

std::int64_t difference_of_stamps(std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}

std::vector<ClockBreak> clock_breaks_of(std::span<const std::int64_t> stamps, const ClockRules& rules) {
    std::vector<ClockBreak> breaks;
    RisingClock clock(rules);
    std::int64_t before = 0;
    for (std::size_t i = 0; i < stamps.size(); ++i) {
        const std::int64_t offset = clock.offset_for(stamps[i]);
        if (offset != before) breaks.push_back({static_cast<std::int64_t>(i), offset});
        before = offset;
    }
    return breaks;
}

std::int64_t VideoSource::rising_stamp(std::int64_t number, std::int64_t time_stamp) const {
    if (time_stamp == VideoFrame::no_time_stamp) return time_stamp;
    const auto behind =
        std::upper_bound(clock_breaks.begin(), clock_breaks.end(), number,
                         [](std::int64_t n, const ClockBreak& place) { return n < place.frame; });
    return behind == clock_breaks.begin() ? time_stamp : sum_of_stamps(time_stamp, std::prev(behind)->offset);
}

double VideoSource::seconds(std::int64_t time_stamp) const {
    const auto exact = static_cast<long double>(time_stamp) * static_cast<long double>(time_base_num) /
                       static_cast<long double>(time_base_den);
    return static_cast<double>(std::round(exact * 1e6L) / 1e6L);
}

std::string frame_name(std::string_view video, std::int64_t number) {
    std::array<char, 32> digits{};
    std::snprintf(digits.data(), digits.size(), "#%06lld", static_cast<long long>(number));
    return std::string(video) + digits.data();
}

std::optional<FrameName> split_frame_name(std::string_view name) {
    const std::size_t hash = name.rfind('#');
    if (hash == std::string_view::npos || !may_be_a_video(name.substr(0, hash), name.size() - hash - 1))
        return std::nullopt;
    FrameName frame{name.substr(0, hash), 0};
    const char* const end = name.data() + name.size();
    const auto [stop, error] = std::from_chars(name.data() + hash + 1, end, frame.number);
    if (error != std::errc() || stop != end || frame.number < 0) return std::nullopt;
    return frame;
}

std::size_t part_of_frame(const VideoSource& video, std::int64_t number) {
    const auto behind = std::upper_bound(video.cuts.begin(), video.cuts.end(), number,
                                         [](std::int64_t n, const VideoCut& cut) { return n < cut.frame; });
    return behind == video.cuts.begin() ? 0 : static_cast<std::size_t>(behind - video.cuts.begin()) - 1;
}

}  // namespace fovea
