#include <algorithm>
#include <memory>
#include <new>
#include <utility>

#include <jxl/decode.h>

#include "lib/image/formats/codec.hpp"
#include "lib/image/formats/picture.hpp"

// JPEG XL by libjxl, in 8 bits, turned as it is to be displayed. An animation is its first frame.

namespace fovea::codec {
namespace {

struct DestroyDecoder {
    void operator()(JxlDecoder* decoder) const { JxlDecoderDestroy(decoder); }
};

class JpegXlFile {
  public:
    JpegXlFile(Bytes bytes, int events) : decoder_(JxlDecoderCreate(nullptr)) {
        if (!decoder_) throw std::bad_alloc();
        require(JxlDecoderSubscribeEvents(decoder_.get(), events | JXL_DEC_BASIC_INFO));
        require(JxlDecoderSetInput(decoder_.get(), bytes.data(), bytes.size()));
        JxlDecoderCloseInput(decoder_.get());
        if (next() != JXL_DEC_BASIC_INFO) throw ImageError("corrupt JPEG XL: it has no header");
        require(JxlDecoderGetBasicInfo(decoder_.get(), &info));
    }

    JxlDecoderStatus next() {
        const JxlDecoderStatus status = JxlDecoderProcessInput(decoder_.get());
        if (status == JXL_DEC_ERROR) throw ImageError("corrupt JPEG XL: its decoder refuses it");
        if (status == JXL_DEC_NEED_MORE_INPUT) throw_truncated("JPEG XL", "it ends before its pixels do");
        return status;
    }

    cv::Mat decode() {
        const bool is_grey = info.num_color_channels == 1;
        const JxlPixelFormat format{is_grey ? 1u : 3u, JXL_TYPE_UINT8, JXL_NATIVE_ENDIAN, 0};
        cv::Mat pixels = make_pixels(info.xsize, info.ysize, is_grey ? CV_8UC1 : CV_8UC3);
        for (;;) {
            switch (next()) {
                case JXL_DEC_NEED_IMAGE_OUT_BUFFER:
                    require(JxlDecoderSetImageOutBuffer(decoder_.get(), &format, pixels.data,
                                                        pixels.total() * pixels.elemSize()));
                    break;
                case JXL_DEC_FULL_IMAGE:
                    return pixels;
                default:
                    throw ImageError("corrupt JPEG XL: it has no picture");
            }
        }
    }

    JxlBasicInfo info{};

  private:
    static void require(JxlDecoderStatus status) {
        if (status != JXL_DEC_SUCCESS) throw ImageError("corrupt JPEG XL: its decoder refuses it");
    }

    std::unique_ptr<JxlDecoder, DestroyDecoder> decoder_;
};

}  // namespace

ImageHeader read_jpeg_xl_header(Bytes bytes) {
    const JpegXlFile file(bytes, 0);
    ImageHeader header{file.info.xsize, file.info.ysize};
    // libjxl computes in three planes of floating point numbers, of which it holds two, and so it does with
    // each further channel (alpha, depth, ...). It has tables of its own.
    header.working_bytes_per_pixel =
        2 * 3 * 4 + 3 + 1 +
        2 * 4 * static_cast<int>(std::min<std::uint32_t>(file.info.num_extra_channels, 1 << 20));
    header.buffer_bytes = std::int64_t{8} << 20;
    header.orientation = 1;
    return header;
}

Picture read_jpeg_xl_picture(Bytes bytes, const ImageHeader& header) {
    JpegXlFile file(bytes, JXL_DEC_FULL_IMAGE);
    if (file.info.xsize != header.width || file.info.ysize != header.height)
        throw ImageError("corrupt JPEG XL: its header contradicts itself");
    return {file.decode(), 1};
}

}  // namespace fovea::codec
