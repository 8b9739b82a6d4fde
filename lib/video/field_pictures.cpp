#include "lib/video/field_pictures.hpp"

#include <algorithm>
#include <cstring>
#include <new>

namespace fovea {

PacketParser::PacketParser(const AVCodecParameters& parameters) {
    context_.reset(avcodec_alloc_context3(nullptr));
    if (!context_ || avcodec_parameters_to_context(context_.get(), &parameters) < 0) throw std::bad_alloc();
    begin();
}

void PacketParser::begin() {
    parser_.reset(av_parser_init(context_->codec_id));
    if (parser_) parser_->flags |= PARSER_FLAG_COMPLETE_FRAMES;
}

// Containers keep headers apart, and may change them on the way.
void PacketParser::take_new_header(const AVPacket& packet) {
    std::size_t size = 0;
    const std::uint8_t* const header = av_packet_get_side_data(&packet, AV_PKT_DATA_NEW_EXTRADATA, &size);
    if (header == nullptr || size == 0) return;
    auto* const copy = static_cast<std::uint8_t*>(av_mallocz(size + AV_INPUT_BUFFER_PADDING_SIZE));
    if (copy == nullptr) throw std::bad_alloc();
    std::memcpy(copy, header, size);
    av_freep(&context_->extradata);
    context_->extradata = copy;
    context_->extradata_size = static_cast<int>(size);
    begin();
}

const AVCodecParserContext* PacketParser::parse(const AVPacket& packet) {
    if (packet.size <= 0) return nullptr;
    take_new_header(packet);
    if (!parser_) return nullptr;
    parser_->picture_structure = AV_PICTURE_STRUCTURE_UNKNOWN;
    std::uint8_t* data = nullptr;
    int size = 0;
    av_parser_parse2(parser_.get(), context_.get(), &data, &size, packet.data, packet.size, packet.pts,
                     packet.dts, packet.pos);
    return parser_.get();
}

FieldPictures::FieldPictures(const AVCodecParameters& parameters) {
    if (parameters.codec_id == AV_CODEC_ID_H264) parser_.emplace(parameters);
}

bool FieldPictures::is_field(const AVPacket& packet) {
    const AVCodecParserContext* const found = parser_ ? parser_->parse(packet) : nullptr;
    return found != nullptr && (found->picture_structure == AV_PICTURE_STRUCTURE_TOP_FIELD ||
                                found->picture_structure == AV_PICTURE_STRUCTURE_BOTTOM_FIELD);
}

PictureSizes::PictureSizes(const AVCodecParameters& parameters) {
    switch (parameters.codec_id) {
        case AV_CODEC_ID_H264:
        case AV_CODEC_ID_HEVC:
        case AV_CODEC_ID_AV1:
            parser_.emplace(parameters);
            break;
        default:
            break;
    }
}

std::optional<Size> PictureSizes::size_of(const AVPacket& packet) {
    const AVCodecParserContext* const found = parser_ ? parser_->parse(packet) : nullptr;
    if (found == nullptr) return std::nullopt;
    const Size size{std::max(found->width, found->coded_width), std::max(found->height, found->coded_height)};
    if (size.width <= 0 || size.height <= 0) return std::nullopt;
    return size;
}

}  // namespace fovea
