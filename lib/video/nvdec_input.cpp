#include "lib/video/nvdec_input.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <span>

#include "lib/video/packet_kind.hpp"

namespace fovea::nvdec {
namespace {

// From frame to frame, on the parser's usual clock of 10 MHz: 25 frames a second.
constexpr std::int64_t number_step = 400'000;

bool has_lengths(const AVCodecParameters& parameters) {
    const bool has_units = parameters.codec_id == AV_CODEC_ID_H264 || parameters.codec_id == AV_CODEC_ID_HEVC;
    return has_units && parameters.extradata_size > 4 && parameters.extradata[0] == 1;
}

// Sequence parameter sets: H.264, table 7-1; HEVC, table 7-1.
bool is_sequence_unit(AVCodecID codec, std::uint8_t header) {
    return codec == AV_CODEC_ID_H264 ? (header & 31) == 7 : ((header >> 1) & 63) == 33;
}

bool has_sequence_unit(AVCodecID codec, const AVPacket& packet) {
    for (int at = 0; at + 3 < packet.size; ++at) {
        const std::uint8_t* const data = packet.data + at;
        if (data[0] == 0 && data[1] == 0 && data[2] == 1 && is_sequence_unit(codec, data[3])) return true;
    }
    return false;
}

// The header stands first in a unit of time, or behind its delimiter, which has no content (AV1, 5.3
// and 7.5).
bool has_sequence_header(const AVPacket& packet) {
    const auto type = [&](int at) { return at < packet.size ? (packet.data[at] >> 3) & 15 : 0; };
    constexpr int sequence_header = 1, delimiter = 2;
    return type(0) == sequence_header || (type(0) == delimiter && type(2) == sequence_header);
}

// The headers that a container keeps apart, where a decoder that begins at the packet needs them.
std::span<const std::uint8_t> header_for(const AVCodecParameters& parameters, const AVPacket& packet) {
    const std::span<const std::uint8_t> extra(
        parameters.extradata, static_cast<std::size_t>(std::max(0, parameters.extradata_size)));
    switch (parameters.codec_id) {
        case AV_CODEC_ID_H264:
        case AV_CODEC_ID_HEVC:
            return has_sequence_unit(parameters.codec_id, packet) ? extra.first(0) : extra;
        case AV_CODEC_ID_AV1: {
            if (has_sequence_header(packet)) return extra.first(0);
            // av1C: four bytes before the headers.
            const bool is_boxed = extra.size() >= 4 && extra[0] == 0x81;
            return is_boxed ? extra.subspan(4) : extra;
        }
        default:
            return extra.first(0);
    }
}

}  // namespace

Input::Input(const VideoPart& part) : parameters_(*part.parameters) {
    if (!has_lengths(parameters_)) return;
    open_filter(parameters_.codec_id == AV_CODEC_ID_H264 ? "h264_mp4toannexb" : "hevc_mp4toannexb");
}

void Input::open_filter(const char* name) {
    const AVBitStreamFilter* const kind = av_bsf_get_by_name(name);
    if (kind == nullptr) {
        why_ = std::string("this FFmpeg lacks ") + name;
        return;
    }
    AVBSFContext* filter = nullptr;
    ffmpeg::throw_if_no_memory(av_bsf_alloc(kind, &filter));
    filter_.reset(filter);
    ffmpeg::throw_if_no_memory(avcodec_parameters_copy(filter->par_in, &parameters_));
    if (const int status = av_bsf_init(filter); status < 0) {
        ffmpeg::throw_if_no_memory(status);
        why_ = "its parameter sets are damaged (" + ffmpeg::error_text(status) + ")";
    }
}

// New parameter sets come beside a packet where a container has several. The same ones again change nothing.
bool Input::has_other_parameters(const AVPacket& packet) const {
    std::size_t size = 0;
    const std::uint8_t* const data = av_packet_get_side_data(&packet, AV_PKT_DATA_NEW_EXTRADATA, &size);
    if (data == nullptr) return false;
    return size != static_cast<std::size_t>(std::max(0, parameters_.extradata_size)) ||
           (size > 0 && std::memcmp(data, parameters_.extradata, size) != 0);
}

const AVPacket* Input::bytes_of(const AVPacket& packet) {
    if (!why_.empty()) return nullptr;
    if (packet.size <= 0) {
        why_ = "one of its packets is empty";
    } else if (has_other_parameters(packet)) {
        why_ = "its parameter sets change";
    }
    if (!why_.empty()) return nullptr;
    return filter_ ? filtered(packet) : with_header(packet);
}

const AVPacket* Input::filtered(const AVPacket& packet) {
    PacketPointer sent = share_packet(packet);
    made_ = make_packet();
    int status = av_bsf_send_packet(filter_.get(), sent.get());
    if (status >= 0) status = av_bsf_receive_packet(filter_.get(), made_.get());
    ffmpeg::throw_if_no_memory(status);
    if (status >= 0 && made_->size > 0) return made_.get();
    why_ = "one of its packets is damaged";
    if (status < 0) why_ += " (" + ffmpeg::error_text(status) + ")";
    return nullptr;
}

const AVPacket* Input::with_header(const AVPacket& packet) {
    if (!is_first_) return &packet;
    is_first_ = false;
    const std::span<const std::uint8_t> header = header_for(parameters_, packet);
    if (header.empty()) return &packet;
    made_ = make_packet();
    ffmpeg::throw_if_no_memory(av_new_packet(made_.get(), static_cast<int>(header.size()) + packet.size));
    std::copy(header.begin(), header.end(), made_->data);
    std::copy_n(packet.data, packet.size, made_->data + header.size());
    return made_.get();
}

Stamps::Stamps(const VideoPart& part) : packets_(part.packets.size()), displayed_(part.packets.size()) {
    const PacketKind kind(*part.parameters);
    const bool has_leading = part.parameters->codec_id == AV_CODEC_ID_HEVC;
    for (std::size_t i = 0; i < packets_.size(); ++i) {
        const AVPacket& packet = *part.packets[i];
        packets_[i].is_sent = !has_leading || packet.pts >= part.stamps.first;
        packets_[i].is_wanted = part.stamps.contains(packet.pts) && !kind.is_hidden(packet);
        displayed_[i] = {packet.pts, i};
    }
    std::stable_sort(displayed_.begin(), displayed_.end(),
                     [](const Displayed& a, const Displayed& b) { return a.stamp < b.stamp; });
    for (std::size_t place = 0; place < displayed_.size(); ++place) {
        Packet& packet = packets_[displayed_[place].packet];
        packet.number = static_cast<std::int64_t>(place) * number_step;
        if (packet.is_wanted) wanted_.push_back(packet.number);
    }
}

Stamps::Place Stamps::pass(std::int64_t number) {
    if (number < 0 || number % number_step != 0 ||
        static_cast<std::size_t>(number / number_step) >= displayed_.size()) {
        return Place::unknown;
    }
    const Displayed& frame = displayed_[static_cast<std::size_t>(number / number_step)];
    if (!packets_[frame.packet].is_wanted) return Place::left_out;
    if (next_ == wanted_.size() || wanted_[next_] != number) return Place::out_of_order;
    ++next_;
    return Place::expected;
}

std::int64_t Stamps::stamp_of(std::int64_t number) const {
    return displayed_[static_cast<std::size_t>(number / number_step)].stamp;
}

}  // namespace fovea::nvdec
