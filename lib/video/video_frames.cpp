#include "lib/video/video_frames.hpp"

#include <utility>

#include "lib/video/video_error.hpp"

namespace fovea {

DecoderOptions decoder_options(const VideoReadOptions& options, const VideoFacts& facts, int threads) {
    DecoderOptions decoder{threads, 1, options.limits};
    if (!options.for_display) return decoder;
    decoder.orientation = facts.orientation;
    decoder.pixel = facts.pixel;
    return decoder;
}

VideoFrames::VideoFrames(std::shared_ptr<const VideoSource> video, const VideoReadOptions& options)
    : video_(std::move(video)),
      options_(options),
      reader_(video_, options.limits),
      decoder_(make_decoder(options.threads)) {}

VideoDecoder VideoFrames::make_decoder(int threads) const {
    return {*reader_.parameters(), decoder_options(options_, video_->facts, threads)};
}

GreyFrame VideoFrames::read(const VideoFrame& frame) {
    find(frame);
    return decoder_.grey();
}

ColourFrame VideoFrames::read_colours(const VideoFrame& frame) {
    find(frame);
    return decoder_.colours();
}

void VideoFrames::find(const VideoFrame& frame) {
    if (frame.time_stamp == VideoFrame::no_time_stamp) throw VideoError(why_no_frame(frame.time_stamp));
    go_to_part(part_of_frame(*video_, frame.number));
    while (has_frame_ || decode_next()) {
        const int place = compare(frame);
        if (place > 0) break;
        has_frame_ = false;
        if (place == 0) return;
    }
    throw VideoError(why_no_frame(frame.time_stamp));
}

bool VideoFrames::goes_on_behind(const VideoFrame& frame, std::int64_t step) {
    const std::int64_t end = sum_of_stamps(frame.time_stamp, step);
    go_to_part(part_of_frame(*video_, frame.number));
    for (;; go_to_part(reader_.part() + 1)) {
        for (; has_frame_ || decode_next(); has_frame_ = false) {
            // A clock that goes back does so behind the frame.
            if (time_stamp_ >= end || time_stamp_ < frame.time_stamp) return true;
        }
        if (reader_.part() + 1 >= video_->cuts.size()) return false;
    }
}

int VideoFrames::compare(const VideoFrame& wanted) const {
    const std::int64_t here = video_->counted_by_decoding ? number_ : time_stamp_;
    const std::int64_t there = video_->counted_by_decoding ? wanted.number : wanted.time_stamp;
    return here < there ? -1 : here > there ? 1 : 0;
}

void VideoFrames::go_to_part(std::size_t part) {
    while (!has_part_ || reader_.part() < part) {
        if (!reader_.next_part()) return;
        has_part_ = true;
        has_frame_ = is_drained_ = false;
        // Each part is decoded on its own: what comes out must not depend on where a job begins.
        if (std::exchange(is_damaged_, false)) {
            decoder_ = make_decoder(options_.threads);
        } else {
            decoder_.restart();
        }
    }
}

void VideoFrames::decode_again_by_one_thread() {
    const std::size_t part = reader_.part();
    reader_ = PartReader(video_, options_.limits);
    while (reader_.next_part() && reader_.part() < part) {
    }
    decoder_ = make_decoder(1);
    is_damaged_ = true;
    is_drained_ = false;
    number_ = -1;
}

bool VideoFrames::decode_next() {
    for (;;) {
        while (decoder_.receive()) {
            if (decoder_.is_in_doubt()) break;
            ++number_;
            const std::optional<std::int64_t> stamp = decoder_.time_stamp();
            if (!video_->counted_by_decoding && (!stamp || !reader_.stamps().contains(*stamp))) continue;
            time_stamp_ = stamp.value_or(0);
            has_frame_ = true;
            return true;
        }
        if (decoder_.is_in_doubt()) {
            decode_again_by_one_thread();
            continue;
        }
        if (is_drained_) return false;
        const PacketPointer packet = reader_.read();
        is_drained_ = !packet;
        decoder_.send(packet.get());
    }
}

const char* why_no_frame(std::int64_t time_stamp) {
    return time_stamp == VideoFrame::no_time_stamp
               ? "the video has no frame of this number"
               : "the decoder gives no such frame: the video is damaged or cut off here";
}

GreyFrame read_frame(const VideoFrame& frame, const VideoReadOptions& options) {
    return VideoFrames(frame.video, options).read(frame);
}

}  // namespace fovea
