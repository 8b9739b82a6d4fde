#pragma once

#include <memory>
#include <optional>

#include "kernels/core/view.hpp"
#include "lib/video/ffmpeg.hpp"

namespace fovea {

/// Looks into packets of whole frames or fields without decoding them.
class PacketParser {
  public:
    /// \throws std::bad_alloc
    explicit PacketParser(const AVCodecParameters& parameters);

    /// Parses a packet. \return the parser with the packet's facts; null if the codec has no parser, or the
    /// packet no bytes.
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

/// Recognises packets of H.264 that are a field: two fields are one frame. Other codecs have no such packets.
class FieldPictures {
  public:
    /// \throws std::bad_alloc
    explicit FieldPictures(const AVCodecParameters& parameters);

    bool is_field(const AVPacket& packet);

  private:
    std::optional<PacketParser> parser_;  // nothing: there are no fields
};

/// Tells the size of a packet's picture before a decoder allocates tables for it: for H.264, HEVC and AV1.
class PictureSizes {
  public:
    /// \throws std::bad_alloc
    explicit PictureSizes(const AVCodecParameters& parameters);

    /// The coded size, which may be a little larger than the displayed one; nothing if it is unknown.
    std::optional<Size> size_of(const AVPacket& packet);

  private:
    std::optional<PacketParser> parser_;
};

}  // namespace fovea
