#include "lib/video/decoded_colours.hpp"

#include <algorithm>
#include <memory>
#include <new>
#include <utility>

extern "C" {
#include <libswscale/swscale.h>
}

#include "kernels/orient/orient.hpp"
#include "kernels/orient/orient_body.hpp"
#include "lib/video/video_error.hpp"

namespace fovea {
namespace {

struct ScalerDeleter {
    void operator()(SwsContext* scaler) const { sws_freeContext(scaler); }
};
using ScalerPointer = std::unique_ptr<SwsContext, ScalerDeleter>;

void copy_plane(const AVFrame& frame, int plane, int width, int height, std::vector<std::uint8_t>& to) {
    to.resize(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
    for (int y = 0; y < height; ++y) {
        const std::uint8_t* const row = frame.data[plane] + std::ptrdiff_t{y} * frame.linesize[plane];
        std::copy_n(row, width, to.begin() + std::ptrdiff_t{y} * width);
    }
}

void convert(const AVFrame& frame, ColourFrame& colours) {
    const ScalerPointer scaler(sws_getContext(
        frame.width, frame.height, static_cast<AVPixelFormat>(frame.format), frame.width, frame.height,
        AV_PIX_FMT_YUV420P, SWS_BILINEAR | SWS_ACCURATE_RND, nullptr, nullptr, nullptr));
    if (!scaler) throw VideoError("its frames cannot be converted to YUV 4:2:0");
    const auto size = [](int width, int height) {
        return static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
    };
    colours.y.resize(size(colours.width, colours.height));
    colours.u.resize(size(colours.chroma_width(), colours.chroma_height()));
    colours.v.resize(colours.u.size());
    std::uint8_t* const planes[] = {colours.y.data(), colours.u.data(), colours.v.data(), nullptr};
    const int strides[] = {colours.width, colours.chroma_width(), colours.chroma_width(), 0};
    const int rows = sws_scale(scaler.get(), frame.data, frame.linesize, 0, frame.height, planes, strides);
    if (rows != frame.height) throw VideoError("its frames cannot be converted to YUV 4:2:0");
}

void turn(std::vector<std::uint8_t>& plane, Size stored, int orientation) {
    const Size size = displayed_size(orient_rule(orientation), stored);
    std::vector<std::uint8_t> turned(plane.size());
    orient_image(Device::cpu(), {plane.data(), stored.width, stored.height, stored.width}, orientation,
                 {turned.data(), size.width, size.height, size.width});
    plane = std::move(turned);
}

}  // namespace

ColourFrame colours_of(const AVFrame& frame, int orientation) {
    ColourFrame colours;
    colours.width = frame.width;
    colours.height = frame.height;
    const bool is_planar = frame.format == AV_PIX_FMT_YUV420P || frame.format == AV_PIX_FMT_YUVJ420P;
    colours.is_full_range =
        is_planar && (frame.format == AV_PIX_FMT_YUVJ420P || frame.color_range == AVCOL_RANGE_JPEG);
    if (is_planar) {
        copy_plane(frame, 0, colours.width, colours.height, colours.y);
        copy_plane(frame, 1, colours.chroma_width(), colours.chroma_height(), colours.u);
        copy_plane(frame, 2, colours.chroma_width(), colours.chroma_height(), colours.v);
    } else {
        convert(frame, colours);
    }
    if (orientation == 1) return colours;
    const Size chroma{colours.chroma_width(), colours.chroma_height()};
    turn(colours.y, {colours.width, colours.height}, orientation);
    turn(colours.u, chroma, orientation);
    turn(colours.v, chroma, orientation);
    const Size size = displayed_size(orient_rule(orientation), {frame.width, frame.height});
    colours.width = size.width;
    colours.height = size.height;
    return colours;
}

}  // namespace fovea
