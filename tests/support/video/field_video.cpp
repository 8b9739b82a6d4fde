#include "tests/support/video/field_video.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "tests/support/video/libav.hpp"
#include "tests/support/video/video_maker.hpp"

namespace fovea::test {
namespace {

using libav::check;
using Bytes = std::vector<std::uint8_t>;

constexpr int side = 32;
constexpr int block = 16;

/// A NAL unit of H.264, bit by bit.
class UnitWriter {
  public:
    UnitWriter(int importance, int type) { bits(static_cast<unsigned>(importance << 5 | type), 8); }

    void bits(unsigned value, int count) {
        for (int i = count; i-- > 0;) {
            if (used_ % 8 == 0) bytes_.push_back(0);
            bytes_.back() = static_cast<std::uint8_t>(bytes_.back() | ((value >> i & 1) << (7 - used_ % 8)));
            ++used_;
        }
    }
    /// Exp-Golomb code.
    void number(unsigned value) {
        int length = 0;
        while ((value + 1) >> (length + 1) != 0) ++length;
        bits(0, length);
        bits(value + 1, length + 1);
    }
    void align() {
        while (used_ % 8 != 0) bits(0, 1);
    }
    /// The unit with start code and trailing bits; 3 is put in where zeros would look like a start code.
    Bytes take() {
        bits(1, 1);
        align();
        Bytes unit{0, 0, 0, 1};
        int zeros = 0;
        for (const std::uint8_t byte : bytes_) {
            if (zeros == 2 && byte <= 3) {
                unit.push_back(3);
                zeros = 0;
            }
            unit.push_back(byte);
            zeros = byte == 0 ? zeros + 1 : 0;
        }
        return unit;
    }

  private:
    Bytes bytes_;
    int used_ = 0;
};

// Rec. ITU-T H.264, 7.3.2.1.1
Bytes sequence_parameters() {
    UnitWriter unit(3, 7);
    unit.bits(77, 8);  // Main profile
    unit.bits(0, 8);
    unit.bits(30, 8);  // level 3
    unit.number(0);
    unit.number(0);  // frame numbers of 4 bits
    unit.number(0);  // order by numbers ...
    unit.number(4);  // ... of 8 bits
    unit.number(1);  // reference frames
    unit.bits(0, 1);
    unit.number(side / block - 1);
    unit.number(side / block / 2 - 1);  // rows of blocks of a field
    unit.bits(0, 1);                    // not frames alone
    unit.bits(0, 1);                    // no mixture within a picture
    unit.bits(1, 1);
    unit.bits(0, 1);  // nothing is cut off
    unit.bits(0, 1);
    return unit.take();
}

// 7.3.2.2
Bytes picture_parameters() {
    UnitWriter unit(3, 8);
    unit.number(0);
    unit.number(0);
    unit.bits(0, 2);  // CAVLC
    unit.number(0);
    unit.number(0);
    unit.number(0);
    unit.bits(0, 3);
    unit.number(0);
    unit.number(0);
    unit.number(0);
    unit.bits(1, 1);  // slices say how edges are smoothed
    unit.bits(0, 2);
    return unit.take();
}

// 7.3.3 and 7.3.5
Bytes field(int frame, int gop, bool is_bottom) {
    const int in_gop = frame % gop;
    const bool is_idr = in_gop == 0 && !is_bottom;
    UnitWriter unit(1, is_idr ? 5 : 1);
    unit.number(0);
    unit.number(7);  // intra slices alone
    unit.number(0);
    unit.bits(static_cast<unsigned>(in_gop % 16), 4);
    unit.bits(1, 1);  // a field
    unit.bits(is_bottom ? 1 : 0, 1);
    if (is_idr) unit.number(static_cast<unsigned>(frame / gop % 2));
    unit.bits(static_cast<unsigned>((2 * in_gop + (is_bottom ? 1 : 0)) % 256), 8);
    unit.bits(0, is_idr ? 2 : 1);
    unit.number(0);
    unit.number(1);  // edges stay
    for (int column = 0; column < side / block; ++column) {
        unit.number(25);  // I_PCM
        unit.align();
        for (int y = 0; y < block; ++y) {
            for (int x = 0; x < block; ++x)
                unit.bits(
                    static_cast<unsigned>(pattern_at(column * block + x, 2 * y + (is_bottom ? 1 : 0), frame)),
                    8);
        }
        for (int i = 0; i < block * block / 2; ++i) unit.bits(128, 8);
    }
    return unit.take();
}

struct FieldPacket {
    Bytes bytes;
    int time = 0;  ///< in fields
    bool is_key = false;
};

std::vector<FieldPacket> packets_of(const FieldVideoPlan& plan) {
    std::vector<FieldPacket> packets;
    const Bytes sequence = sequence_parameters(), picture = picture_parameters();
    for (int frame = 0; frame < plan.frames; ++frame) {
        FieldPacket first{{}, 2 * frame, frame % plan.gop == 0};
        const auto append = [&](const Bytes& bytes) {
            first.bytes.insert(first.bytes.end(), bytes.begin(), bytes.end());
        };
        if (first.is_key) {
            append(sequence);
            append(picture);
        }
        append(field(frame, plan.gop, false));
        Bytes second = field(frame, plan.gop, true);
        if (!plan.has_packet_of_each_field) append(second);
        packets.push_back(std::move(first));
        if (plan.has_packet_of_each_field) packets.push_back({std::move(second), 2 * frame + 1, false});
    }
    return packets;
}

void describe(AVStream& stream) {
    AVCodecParameters& parameters = *stream.codecpar;
    parameters.codec_type = AVMEDIA_TYPE_VIDEO;
    parameters.codec_id = AV_CODEC_ID_H264;
    parameters.width = parameters.height = side;
    Bytes extra = sequence_parameters();
    const Bytes picture = picture_parameters();
    extra.insert(extra.end(), picture.begin(), picture.end());
    parameters.extradata =
        static_cast<std::uint8_t*>(av_mallocz(extra.size() + AV_INPUT_BUFFER_PADDING_SIZE));
    std::copy(extra.begin(), extra.end(), parameters.extradata);
    parameters.extradata_size = static_cast<int>(extra.size());
    stream.time_base = {1, 50};
    stream.avg_frame_rate = {25, 1};
}

}  // namespace

void make_field_video(const std::filesystem::path& file, const FieldVideoPlan& plan) {
    AVFormatContext* context = nullptr;
    check(avformat_alloc_output_context2(&context, nullptr, nullptr, file.c_str()), "muxer");
    const std::unique_ptr<AVFormatContext, void (*)(AVFormatContext*)> owner(context, avformat_free_context);
    AVStream& stream = *avformat_new_stream(context, nullptr);
    describe(stream);
    check(avio_open(&context->pb, file.c_str(), AVIO_FLAG_WRITE), "opening " + file.string());
    check(avformat_write_header(context, nullptr), "header");
    const libav::Packet packet(av_packet_alloc());
    for (const FieldPacket& made : packets_of(plan)) {
        check(av_new_packet(packet.get(), static_cast<int>(made.bytes.size())), "packet");
        std::copy(made.bytes.begin(), made.bytes.end(), packet->data);
        packet->pts = packet->dts = av_rescale_q(made.time, {1, 50}, stream.time_base);
        packet->duration = av_rescale_q(plan.has_packet_of_each_field ? 1 : 2, {1, 50}, stream.time_base);
        if (made.is_key) packet->flags |= AV_PKT_FLAG_KEY;
        check(av_interleaved_write_frame(context, packet.get()), "packet");
    }
    check(av_write_trailer(context), "trailer");
    avio_closep(&context->pb);
}

}  // namespace fovea::test
