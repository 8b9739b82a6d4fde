#include "lib/image/encode.hpp"

#include <memory>
#include <new>
#include <string>

#include <png.h>
#include <turbojpeg.h>

#include "lib/core/error.hpp"

namespace fovea {
namespace {

bool is_grey(const cv::Mat& picture) {
    return picture.type() == CV_8UC1;
}

void require_picture(const cv::Mat& picture) {
    if (picture.empty() || (!is_grey(picture) && picture.type() != CV_8UC3))
        throw Error("a picture of no pixels, or not of 8 bits in one or three channels, cannot be encoded");
}

struct FreeTurboJpeg {
    void operator()(unsigned char* bytes) const { tjFree(bytes); }
};
struct CloseEncoder {
    void operator()(void* handle) const { tjDestroy(handle); }
};

}  // namespace

std::vector<unsigned char> encode_png(const cv::Mat& picture) {
    require_picture(picture);
    png_image description{};
    description.version = PNG_IMAGE_VERSION;
    description.width = static_cast<png_uint_32>(picture.cols);
    description.height = static_cast<png_uint_32>(picture.rows);
    description.format = is_grey(picture) ? PNG_FORMAT_GRAY : PNG_FORMAT_BGR;
    std::vector<unsigned char> bytes(PNG_IMAGE_PNG_SIZE_MAX(description));
    png_alloc_size_t size = bytes.size();
    if (png_image_write_to_memory(&description, bytes.data(), &size, 0, picture.data,
                                  static_cast<png_int_32>(picture.step[0]), nullptr) == 0)
        throw Error(std::string("a picture cannot be encoded as PNG: ") + description.message);
    bytes.resize(size);
    return bytes;
}

std::vector<unsigned char> encode_jpeg(const cv::Mat& picture, int quality) {
    require_picture(picture);
    const std::unique_ptr<void, CloseEncoder> encoder(tjInitCompress());
    if (!encoder) throw std::bad_alloc();
    unsigned char* encoded = nullptr;
    unsigned long size = 0;
    const int outcome =
        tjCompress2(encoder.get(), picture.data, picture.cols, static_cast<int>(picture.step[0]),
                    picture.rows, is_grey(picture) ? TJPF_GRAY : TJPF_BGR, &encoded, &size,
                    is_grey(picture) ? TJSAMP_GRAY : TJSAMP_420, quality, TJFLAG_ACCURATEDCT);
    const std::unique_ptr<unsigned char, FreeTurboJpeg> owner(encoded);
    if (outcome != 0)
        throw Error(std::string("a picture cannot be encoded as JPEG: ") + tjGetErrorStr2(encoder.get()));
    return {encoded, encoded + size};
}

}  // namespace fovea
