#include "lib/image/formats/picture.hpp"

#include <new>

#include <opencv2/core.hpp>

#include "kernels/luma/grey.hpp"

namespace fovea::codec {
namespace {

template <class T, class ToGrey>
GreyImage convert(const cv::Mat& pixels, ToGrey to_grey) {
    GreyImage result{pixels.cols, pixels.rows, std::vector<std::uint8_t>(pixels.total())};
    const int channels = pixels.channels();
    std::uint8_t* to = result.pixels.data();
    for (int y = 0; y < pixels.rows; ++y) {
        const T* from = pixels.ptr<T>(y);
        for (int x = 0; x < pixels.cols; ++x, from += channels) *to++ = to_grey(from);
    }
    return result;
}

}  // namespace

cv::Mat make_pixels(std::int64_t width, std::int64_t height, int type) {
    try {
        return cv::Mat(static_cast<int>(height), static_cast<int>(width), type);
    } catch (const cv::Exception&) {
        throw std::bad_alloc();
    }
}

GreyImage grey_of(const cv::Mat& pixels) {
    const bool is_grey = pixels.channels() == 1;
    if (pixels.depth() == CV_8U)
        return is_grey ? convert<std::uint8_t>(pixels, [](const std::uint8_t* p) { return p[0]; })
                       : convert<std::uint8_t>(
                             pixels, [](const std::uint8_t* p) { return grey_of_rgb(p[0], p[1], p[2]); });
    return is_grey
               ? convert<std::uint16_t>(pixels, [](const std::uint16_t* p) { return byte_of_16_bits(p[0]); })
               : convert<std::uint16_t>(pixels, [](const std::uint16_t* p) {
                     return grey_of_rgb(byte_of_16_bits(p[0]), byte_of_16_bits(p[1]), byte_of_16_bits(p[2]));
                 });
}

cv::Mat bytes_of(cv::Mat pixels) {
    if (pixels.depth() == CV_8U) return pixels;
    cv::Mat bytes = make_pixels(pixels.cols, pixels.rows, CV_MAKETYPE(CV_8U, pixels.channels()));
    const int samples = pixels.cols * pixels.channels();
    for (int y = 0; y < pixels.rows; ++y) {
        const auto* from = pixels.ptr<std::uint16_t>(y);
        auto* to = bytes.ptr<std::uint8_t>(y);
        for (int i = 0; i < samples; ++i) to[i] = byte_of_16_bits(from[i]);
    }
    return bytes;
}

}  // namespace fovea::codec
