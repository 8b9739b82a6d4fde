#include "lib/image/formats/jpeg_file.hpp"

#include <memory>
#include <string>

#include <turbojpeg.h>

#include "lib/core/error.hpp"

namespace fovea {
namespace {

struct CloseTurboJpeg {
    void operator()(void* handle) const { tjDestroy(handle); }
};
struct FreeTurboJpeg {
    void operator()(unsigned char* bytes) const { tjFree(bytes); }
};

}  // namespace

std::vector<std::uint8_t> jpeg_file_of(const cv::Mat& picture, int quality) {
    const std::unique_ptr<void, CloseTurboJpeg> handle(tjInitCompress());
    if (!handle) throw Error(std::string("cannot start the JPEG encoder: ") + tjGetErrorStr2(nullptr));
    const bool grey = picture.channels() == 1;
    unsigned char* bytes = nullptr;
    unsigned long size = 0;
    const int outcome = tjCompress2(handle.get(), picture.data, picture.cols, static_cast<int>(picture.step),
                                    picture.rows, grey ? TJPF_GRAY : TJPF_BGR, &bytes, &size,
                                    grey ? TJSAMP_GRAY : TJSAMP_420, quality, TJFLAG_ACCURATEDCT);
    const std::unique_ptr<unsigned char, FreeTurboJpeg> owner(bytes);
    if (outcome != 0)
        throw Error(std::string("cannot encode a picture as JPEG: ") + tjGetErrorStr2(handle.get()));
    return {bytes, bytes + size};
}

}  // namespace fovea
