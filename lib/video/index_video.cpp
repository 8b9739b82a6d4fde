#include "lib/video/index_video.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <limits>
#include <span>
#include <utility>

#include "lib/core/text.hpp"
#include "lib/core/threads.hpp"
#include "lib/video/ffmpeg.hpp"
#include "lib/video/field_pictures.hpp"
#include "lib/video/packet_kind.hpp"
#include "lib/video/video_decoder.hpp"
#include "lib/video/video_error.hpp"

namespace fovea {
namespace {

// Parts are decoded side by side, and each costs a start of the decoder: about as long as a few frames.
constexpr std::int64_t min_packets_of_part = 120;

// Frames of H.264 and HEVC that may stand before one that is displayed earlier.
constexpr std::size_t max_reordered = 16;

// Tells whether time goes on: stamps of packets rise, but for frames that are displayed before others.
class RisingStamps {
  public:
    /// False if more stand before it than a decoder could hold back.
    bool add(std::int64_t stamp) {
        const auto place = std::lower_bound(latest_.begin(), latest_.end(), stamp);
        if (place == latest_.begin() && latest_.size() > max_reordered) return false;
        latest_.insert(place, stamp);
        if (latest_.size() > max_reordered + 1) latest_.erase(latest_.begin());
        return true;
    }

  private:
    std::vector<std::int64_t> latest_;  // the largest, rising
};

// The packets of a stream, and all that they tell of its frames.
class PacketList {
  public:
    explicit PacketList(const AVCodecParameters& parameters)
        : kind_(parameters), fields_(parameters), tells_frames_(kind_.is_frame_by_frame()) {}

    void add(const AVPacket& packet) {
        ++packets_;
        const bool is_hidden = kind_.is_hidden(packet);
        hidden_ += is_hidden;
        if (tells_frames_) tells_frames_ = add_frame(packet, is_hidden);
        part_bytes_ += static_cast<std::size_t>(packet.size);
        max_part_bytes_ = std::max(max_part_bytes_, part_bytes_);
    }

    /// False if frames must be counted by decoding.
    bool finish() {
        if (!tells_frames_ || stamps_.empty()) return false;
        std::sort(stamps_.begin(), stamps_.end());
        return std::adjacent_find(stamps_.begin(), stamps_.end()) == stamps_.end();
    }

    std::vector<VideoCut> cuts() const {
        std::vector<VideoCut> cuts{{0, stamps_.front()}};
        for (std::size_t i = 1; i < cuts_.size(); ++i) {
            const auto at = std::lower_bound(stamps_.begin(), stamps_.end(), cuts_[i]);
            cuts.push_back({at - stamps_.begin(), cuts_[i]});
        }
        return cuts;
    }

    /// True behind a packet that all frames before it are displayed before.
    bool is_at_cut() const { return tells_frames_ && cuts_.size() > 1 && cut_packet_ == packets_; }
    /// Those before the last cut, in the order of display.
    std::vector<std::int64_t> stamps_before_cut() const {
        std::vector<std::int64_t> before(stamps_.begin(), std::prev(stamps_.end()));
        std::sort(before.begin(), before.end());
        return before;
    }
    /// Ends the list at the last cut.
    void drop_cut_frame() { stamps_.pop_back(); }

    std::int64_t packets() const { return packets_; }
    std::int64_t hidden() const { return hidden_; }
    std::size_t max_part_bytes() const { return max_part_bytes_; }
    std::vector<std::int64_t> take_stamps() { return std::move(stamps_); }

  private:
    /// False if it, or its place, does not tell which frame it is.
    bool add_frame(const AVPacket& packet, bool is_hidden) {
        const bool can_begin = kind_.can_begin_at(packet);
        if (packet.pts == AV_NOPTS_VALUE || (packets_ == 1 && !can_begin)) return false;
        if (fields_.is_field(packet)) return false;
        if (is_hidden) return true;
        if (!rising_.add(packet.pts)) return false;
        if (can_begin) {
            // All frames before it in the file are displayed before it.
            if (packet.pts < largest_) return false;
            note_cut(packet.pts);
        }
        // Behind a key frame stand those that are displayed before it, then none. A decoder that begins at
        // the first key frame may leave them out.
        if (packet.pts < key_stamp_ && (is_past_leading_ || cuts_.size() <= 1)) return false;
        if (packet.pts > key_stamp_) is_past_leading_ = true;
        largest_ = std::max(largest_, packet.pts);
        stamps_.push_back(packet.pts);
        return true;
    }

    void note_cut(std::int64_t stamp) {
        const bool is_first = cuts_.empty();
        if (!is_first && packets_ - cut_packet_ < min_packets_of_part) return;
        cuts_.push_back(stamp);
        part_bytes_ = 0;
        cut_packet_ = packets_;
        key_stamp_ = stamp;
        is_past_leading_ = false;
    }

    PacketKind kind_;
    FieldPictures fields_;
    RisingStamps rising_;
    bool tells_frames_;
    std::int64_t packets_ = 0;
    std::int64_t hidden_ = 0;
    std::size_t part_bytes_ = 0;  // since the last cut
    std::size_t max_part_bytes_ = 0;
    std::vector<std::int64_t> stamps_;  // of frames that are displayed
    std::vector<std::int64_t> cuts_;
    std::int64_t cut_packet_ = 0;
    std::int64_t key_stamp_ = std::numeric_limits<std::int64_t>::min();
    bool is_past_leading_ = false;
    std::int64_t largest_ = std::numeric_limits<std::int64_t>::min();
};

// The time from one frame to the next, in time stamps; at least 1.
std::int64_t usual_step(const VideoSource& source) {
    const double rate = source.facts.frames_per_second > 0 ? source.facts.frames_per_second : 25;
    const double step =
        static_cast<double>(source.time_base_den) / (rate * static_cast<double>(source.time_base_num));
    return std::max<std::int64_t>(1, std::llround(std::min(step, 1e15)));
}

// A span of time, in time stamps.
std::int64_t stamps_in(const VideoSource& source, double seconds) {
    const double stamps =
        seconds * static_cast<double>(source.time_base_den) / static_cast<double>(source.time_base_num);
    return std::llround(std::min(stamps, 1e15));
}

// The step by which frames of the video follow each other, whatever its header says of their rate: the median
// of the first ones. \param otherwise  where none tells
std::int64_t common_step(std::span<const std::int64_t> stamps, std::int64_t otherwise) {
    constexpr std::size_t most = 1000;
    std::vector<std::int64_t> steps;
    for (std::size_t i = 1; i < stamps.size() && steps.size() < most; ++i) {
        const std::int64_t step = difference_of_stamps(stamps[i], stamps[i - 1]);
        if (step > 0) steps.push_back(step);
    }
    if (steps.empty()) return otherwise;
    const auto middle = steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2);
    std::nth_element(steps.begin(), middle, steps.end());
    return *middle;
}

// FFmpeg's ffmpeg has these limits: a tenth of a second back, 10 seconds (-dts_delta_threshold) or 30 hours
// (-dts_error_threshold) ahead.
std::vector<ClockBreak> breaks_of(const VideoSource& source, std::span<const std::int64_t> stamps,
                                  bool has_loose_clock) {
    return clock_breaks_of(stamps, {common_step(stamps, usual_step(source)), stamps_in(source, 0.1),
                                    stamps_in(source, has_loose_clock ? 10 : 30 * 3600)});
}

// Asks seldom, so that all questions together take no longer than the last one or two.
class EnoughFrames {
  public:
    EnoughFrames(const VideoIndexOptions& options, const std::shared_ptr<const VideoSource>& source,
                 bool has_loose_clock)
        : is_enough_(options.is_enough), source_(source), has_loose_clock_(has_loose_clock) {}

    bool is_due(std::size_t frames) const { return is_enough_ && frames >= next_; }
    bool is_enough(std::vector<std::int64_t> stamps) {
        next_ = stamps.size() + stamps.size() / 2;
        auto source = std::make_shared<VideoSource>(*source_);
        source->clock_breaks = breaks_of(*source, stamps, has_loose_clock_);
        return is_enough_({std::move(source), std::move(stamps), {}});
    }

  private:
    const std::function<bool(const VideoIndex&)>& is_enough_;
    const std::shared_ptr<const VideoSource> source_;
    const bool has_loose_clock_;
    std::size_t next_ = min_packets_of_part;
};

std::vector<std::int64_t> stamps_by_decoding(const std::shared_ptr<const VideoSource>& video,
                                             const VideoIndexOptions& options, int threads) {
    const VideoSource& source = *video;
    VideoFile file(source.file, source.stream, options.limits, source.bytes.get());
    VideoDecoder decoder(file.parameters(), {threads, 1, options.limits});
    const std::int64_t step = usual_step(source);
    EnoughFrames enough(options, video, file.has_loose_clock());
    std::vector<std::int64_t> stamps;
    const auto take_frames = [&] {
        while (decoder.receive()) {
            const std::int64_t expected = stamps.empty() ? 0 : stamps.back() + step;
            stamps.push_back(decoder.time_stamp().value_or(expected));
        }
    };
    while (const PacketPointer packet = file.read()) {
        decoder.send(packet.get());
        take_frames();
        if (decoder.is_in_doubt()) return stamps_by_decoding(video, options, 1);
        if (enough.is_due(stamps.size()) && enough.is_enough(stamps)) return stamps;
    }
    decoder.send(nullptr);
    take_frames();
    if (decoder.is_in_doubt()) return stamps_by_decoding(video, options, 1);
    return stamps;
}

// Empty for a clock that goes on.
std::string why_not_its_clock(const VideoIndex& index) {
    const VideoSource& source = *index.source;
    const std::vector<ClockBreak>& breaks = source.clock_breaks;
    if (breaks.empty()) return {};
    const auto first = static_cast<std::size_t>(breaks.front().frame);
    const double from = source.seconds(index.time_stamps[first - 1]);
    const double to = source.seconds(index.time_stamps[first]);
    std::array<char, 160> text{};
    std::snprintf(text.data(), text.size(), "has a clock that %s at frame %zu (from %.3f s to %.3f s)",
                  to < from   ? "goes back"
                  : to > from ? "leaps"
                              : "stands still",
                  first, from, to);
    return text.data() +
           (breaks.size() == 1 ? std::string() : ", the first of " + counted(breaks.size(), "such place")) +
           "; from there on, its time goes on by the frame rate";
}

}  // namespace

VideoIndex index_video(const std::filesystem::path& path, const VideoIndexOptions& options) {
    VideoFile file(path, options.stream, options.limits, options.bytes.get());
    auto source = std::make_shared<VideoSource>();
    source->file = path;
    source->bytes = options.bytes;
    source->stream = file.stream();
    source->time_base_num = file.time_base_num();
    source->time_base_den = file.time_base_den();
    source->facts = file.facts();

    const bool has_loose_clock = file.has_loose_clock();

    PacketList packets(file.parameters());
    EnoughFrames enough(options, source, has_loose_clock);
    while (const PacketPointer packet = file.read()) {
        packets.add(*packet);
        if (!packets.is_at_cut() || !enough.is_due(static_cast<std::size_t>(packets.packets()))) continue;
        if (!enough.is_enough(packets.stamps_before_cut())) continue;
        packets.drop_cut_frame();
        break;
    }
    source->facts.packets = packets.packets();
    source->facts.hidden_packets = packets.hidden();
    source->max_part_bytes = packets.max_part_bytes();

    VideoIndex index;
    index.damage = file.damage();
    if (packets.finish()) {
        source->cuts = packets.cuts();
        index.time_stamps = packets.take_stamps();
    } else {
        source->counted_by_decoding = true;
        {
            // Its index is in memory.
            const VideoFile done = std::move(file);
        }
        index.time_stamps = stamps_by_decoding(source, options, resolve_threads(options.threads));
        if (!index.time_stamps.empty()) source->cuts = {{0, index.time_stamps.front()}};
    }
    if (index.time_stamps.empty()) {
        throw VideoError(index.damage.empty() ? "it has no frame that can be decoded" : index.damage);
    }
    source->clock_breaks = breaks_of(*source, index.time_stamps, has_loose_clock);
    index.source = std::move(source);
    index.clock = why_not_its_clock(index);
    return index;
}

}  // namespace fovea
