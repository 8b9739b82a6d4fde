#pragma once

#include <memory>

#include "lib/video/ffmpeg.hpp"

namespace fovea {

/// Tells packets of H.264 that are a field: two of them are one frame. Other codecs have none.
class FieldPictures {
  public:
    /// \throws std::bad_alloc
    explicit FieldPictures(const AVCodecParameters& parameters);

    bool is_field(const AVPacket& packet);

  private:
    struct ParserDeleter {
        void operator()(AVCodecParserContext* parser) const { av_parser_close(parser); }
    };

    ffmpeg::CodecContextPointer context_;
    std::unique_ptr<AVCodecParserContext, ParserDeleter> parser_;  // null: there are no fields
};

}  // namespace fovea
