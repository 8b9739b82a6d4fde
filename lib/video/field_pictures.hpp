#pragma once

#include <memory>
#include <optional>

#include "kernels/core/view.hpp"
#include "lib/video/ffmpeg.hpp"

namespace fovea {

/// Looks into packets that are not divided any more, without decoding them.
class PacketParser {
  public:
    /// \throws std::bad_alloc
    explicit PacketParser(const AVCodecParameters& parameters);

    /// \return what it tells of the packet; null if the codec has no parser, or the packet no bytes
    const AVCodecParserContext* parse(const AVPacket& packet);

  private:
    struct ParserDeleter {
        void operator()(AVCodecParserContext* parser) const { av_parser_close(parser); }
    };
    void begin();
    void take_new_header(const AVPacket& packet);

    ffmpeg::CodecContextPointer context_;
    std::unique_ptr<AVCodecParserContext, ParserDeleter> parser_;
};

/// Tells packets of H.264 that are a field: two of them are one frame. Other codecs have none.
class FieldPictures {
  public:
    /// \throws std::bad_alloc
    explicit FieldPictures(const AVCodecParameters& parameters);

    bool is_field(const AVPacket& packet);

  private:
    std::optional<PacketParser> parser_;  // nothing: there are no fields
};

/// Tells how large the picture of a packet is, where decoders make tables for it before they say so: H.264,
/// HEVC and AV1.
class PictureSizes {
  public:
    /// \throws std::bad_alloc
    explicit PictureSizes(const AVCodecParameters& parameters);

    /// The coded size, which may be a little more than what is displayed; nothing if that is unknown.
    std::optional<Size> size_of(const AVPacket& packet);

  private:
    std::optional<PacketParser> parser_;
};

}  // namespace fovea
