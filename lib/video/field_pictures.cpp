#include "lib/video/field_pictures.hpp"

#include <new>

namespace fovea {

FieldPictures::FieldPictures(const AVCodecParameters& parameters) {
    if (parameters.codec_id != AV_CODEC_ID_H264) return;
    context_.reset(avcodec_alloc_context3(nullptr));
    if (!context_ || avcodec_parameters_to_context(context_.get(), &parameters) < 0) throw std::bad_alloc();
    parser_.reset(av_parser_init(AV_CODEC_ID_H264));
    // A packet is not divided any more.
    if (parser_) parser_->flags |= PARSER_FLAG_COMPLETE_FRAMES;
}

bool FieldPictures::is_field(const AVPacket& packet) {
    if (!parser_ || packet.size <= 0) return false;
    parser_->picture_structure = AV_PICTURE_STRUCTURE_UNKNOWN;
    std::uint8_t* data = nullptr;
    int size = 0;
    av_parser_parse2(parser_.get(), context_.get(), &data, &size, packet.data, packet.size, packet.pts,
                     packet.dts, packet.pos);
    return parser_->picture_structure == AV_PICTURE_STRUCTURE_TOP_FIELD ||
           parser_->picture_structure == AV_PICTURE_STRUCTURE_BOTTOM_FIELD;
}

}  // namespace fovea
