#include "lib/video/part_reader.hpp"

#include <new>
#include <utility>

#include "lib/video/ffmpeg.hpp"
#include "lib/video/packet_kind.hpp"
#include "lib/video/video_error.hpp"

namespace fovea {
namespace {

std::shared_ptr<const AVCodecParameters> copy_of(const AVCodecParameters& parameters) {
    const std::shared_ptr<AVCodecParameters> copy(
        avcodec_parameters_alloc(), [](AVCodecParameters* owned) { avcodec_parameters_free(&owned); });
    if (!copy || avcodec_parameters_copy(copy.get(), &parameters) < 0) throw std::bad_alloc();
    return copy;
}

}  // namespace

PartReader::PartReader(std::shared_ptr<const VideoSource> video, const VideoLimits& limits)
    : video_(std::move(video)),
      file_(video_->file, video_->stream, limits, video_->bytes.get()),
      parameters_(copy_of(file_.parameters())) {
    const VideoFacts facts = file_.facts();
    if (facts.codec != video_->facts.codec || facts.width != video_->facts.width ||
        facts.height != video_->facts.height || file_.time_base_num() != video_->time_base_num ||
        file_.time_base_den() != video_->time_base_den) {
        throw VideoError("the video has changed since its frames were listed");
    }
}

StampRange PartReader::stamps() const {
    StampRange range;
    if (part_ > 0) range.first = video_->cuts[part_].time_stamp;
    if (part_ + 1 < video_->cuts.size()) range.end = video_->cuts[part_ + 1].time_stamp;
    return range;
}

bool PartReader::next_part() {
    if (!has_begun_) {
        has_begun_ = true;
        return true;
    }
    if (part_ + 1 >= video_->cuts.size()) return false;
    while (read()) {
    }
    while (!again_.empty()) {
        next_part_.push_back(std::move(again_.front()));
        again_.pop_front();
    }
    again_ = std::exchange(next_part_, {});
    ahead_.reset();
    is_at_end_ = is_in_both_ = false;
    ++part_;
    return true;
}

PacketPointer PartReader::fetch() {
    if (again_.empty()) return file_.read();
    PacketPointer packet = std::move(again_.front());
    again_.pop_front();
    return packet;
}

PacketPointer PartReader::fetch_for_both() {
    PacketPointer packet = fetch();
    if (packet) next_part_.push_back(share_packet(*packet));
    return packet;
}

PacketPointer PartReader::read() {
    if (is_at_end_) return nullptr;
    if (ahead_) return std::exchange(ahead_, nullptr);
    const std::int64_t end = stamps().end;
    if (is_in_both_) {
        PacketPointer packet = fetch_for_both();
        is_at_end_ = !packet || packet->pts > end;
        return is_at_end_ ? nullptr : std::move(packet);
    }
    PacketPointer packet = fetch();
    if (!packet || packet->pts != end || !PacketKind(*parameters_).can_begin_at(*packet)) {
        is_at_end_ = !packet;
        return packet;
    }
    next_part_.push_back(share_packet(*packet));
    is_in_both_ = true;
    // Without frames that are displayed before it, the key frame is of no use to this part.
    ahead_ = fetch_for_both();
    is_at_end_ = !ahead_ || ahead_->pts > end;
    if (!is_at_end_) return packet;
    ahead_.reset();
    return nullptr;
}

VideoPart take_part(const std::shared_ptr<const VideoSource>& video, PartReader& reader) {
    VideoPart part;
    part.video = video;
    part.parameters = reader.parameters();
    part.number = reader.part();
    part.stamps = reader.stamps();
    while (PacketPointer packet = reader.read()) {
        part.bytes += static_cast<std::size_t>(packet->size);
        part.packets.push_back(std::move(packet));
    }
    return part;
}

}  // namespace fovea
