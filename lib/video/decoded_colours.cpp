#include "lib/video/decoded_colours.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <new>
#include <utility>

extern "C" {
#include <libswscale/swscale.h>
}

#include "kernels/orient/orient.hpp"
#include "kernels/orient/orient_body.hpp"
#include "kernels/resize/resize.hpp"
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

/// libswscale writes behind the ends of rows: it gets a frame of FFmpeg's, which has room there.
ffmpeg::FramePointer converted(const AVFrame& frame) {
    constexpr const char* why = "its frames cannot be converted to YUV 4:2:0";
    const ScalerPointer scaler(sws_getContext(
        frame.width, frame.height, static_cast<AVPixelFormat>(frame.format), frame.width, frame.height,
        AV_PIX_FMT_YUV420P, SWS_BILINEAR | SWS_ACCURATE_RND, nullptr, nullptr, nullptr));
    if (!scaler) throw VideoError(why);
    ffmpeg::FramePointer to = ffmpeg::make_frame();
    to->format = AV_PIX_FMT_YUV420P;
    to->width = frame.width;
    to->height = frame.height;
    const int status = av_frame_get_buffer(to.get(), 0);
    ffmpeg::throw_if_no_memory(status);
    if (status < 0) throw VideoError(why);
    const int rows =
        sws_scale(scaler.get(), frame.data, frame.linesize, 0, frame.height, to->data, to->linesize);
    if (rows != frame.height) throw VideoError(why);
    return to;
}

void turn(std::vector<std::uint8_t>& plane, Size stored, int orientation) {
    const Size size = displayed_size(orient_rule(orientation), stored);
    std::vector<std::uint8_t> turned(plane.size());
    orient_image(Device::cpu(), {plane.data(), stored.width, stored.height, stored.width}, orientation,
                 {turned.data(), size.width, size.height, size.width});
    plane = std::move(turned);
}

void resize(ColourFrame& frame, Size size) {
    const Size luma{frame.width, frame.height}, chroma{frame.chroma_width(), frame.chroma_height()};
    frame.width = size.width;
    frame.height = size.height;
    const Size new_chroma{frame.chroma_width(), frame.chroma_height()};
    frame.y = resized_plane(std::move(frame.y), luma, size);
    frame.u = resized_plane(std::move(frame.u), chroma, new_chroma);
    frame.v = resized_plane(std::move(frame.v), chroma, new_chroma);
}

std::vector<std::uint8_t> framed(const std::vector<std::uint8_t>& plane, const Rect& place, Size size,
                                 int around) {
    std::vector<std::uint8_t> whole(
        static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height),
        static_cast<std::uint8_t>(around));
    for (int y = 0; y < place.height; ++y) {
        std::copy_n(plane.begin() + std::ptrdiff_t{y} * place.width, place.width,
                    whole.begin() + std::ptrdiff_t{place.y + y} * size.width + place.x);
    }
    return whole;
}

}  // namespace

std::vector<std::uint8_t> resized_plane(std::vector<std::uint8_t> plane, Size from, Size to) {
    if (from == to) return plane;
    std::vector<std::uint8_t> resized(static_cast<std::size_t>(to.width) *
                                      static_cast<std::size_t>(to.height));
    resize_linear(Device::cpu(), {plane.data(), from.width, from.height, from.width},
                  {resized.data(), to.width, to.height, to.width});
    return resized;
}

Rect fitted_place(Size frame, Size into) {
    if (frame == into) return {0, 0, into.width, into.height};
    const double scale = std::min(static_cast<double>(into.width) / frame.width,
                                  static_cast<double>(into.height) / frame.height);
    const auto side = [scale](int from, int most) {
        return std::clamp(static_cast<int>(std::lround(from * scale / 2)) * 2, 2, most & ~1);
    };
    const int width = side(frame.width, into.width), height = side(frame.height, into.height);
    return {(into.width - width) / 4 * 2, (into.height - height) / 4 * 2, width, height};
}

ColourFrame fitted(ColourFrame frame, Size into) {
    if (Size{frame.width, frame.height} == into) return frame;
    const Rect place = fitted_place({frame.width, frame.height}, into);
    resize(frame, {place.width, place.height});
    ColourFrame whole;
    whole.width = into.width;
    whole.height = into.height;
    whole.is_full_range = frame.is_full_range;
    whole.codes = frame.codes;
    constexpr int black = 16, grey = 128;
    whole.y = framed(frame.y, place, into, frame.is_full_range ? 0 : black);
    const Rect chroma_place{place.x / 2, place.y / 2, place.width / 2, place.height / 2};
    const Size chroma{whole.chroma_width(), whole.chroma_height()};
    whole.u = framed(frame.u, chroma_place, chroma, grey);
    whole.v = framed(frame.v, chroma_place, chroma, grey);
    return whole;
}

ColourFrame colours_of(const AVFrame& frame, const PixelShape& pixel, int orientation) {
    ColourFrame colours;
    colours.width = frame.width;
    colours.height = frame.height;
    const bool is_planar = frame.format == AV_PIX_FMT_YUV420P || frame.format == AV_PIX_FMT_YUVJ420P;
    colours.is_full_range =
        is_planar && (frame.format == AV_PIX_FMT_YUVJ420P || frame.color_range == AVCOL_RANGE_JPEG);
    colours.codes = {frame.color_primaries, frame.color_trc, frame.colorspace};
    const AVPixFmtDescriptor* const format = av_pix_fmt_desc_get(static_cast<AVPixelFormat>(frame.format));
    constexpr std::uint64_t rgb = AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_PAL;
    // libswscale's own, from RGB.
    if (format != nullptr && (format->flags & rgb) != 0) colours.codes.matrix = ColourCodes::bt601_matrix;
    const ffmpeg::FramePointer planar = is_planar ? nullptr : converted(frame);
    const AVFrame& from = is_planar ? frame : *planar;
    copy_plane(from, 0, colours.width, colours.height, colours.y);
    copy_plane(from, 1, colours.chroma_width(), colours.chroma_height(), colours.u);
    copy_plane(from, 2, colours.chroma_width(), colours.chroma_height(), colours.v);
    resize(colours, squared_size(pixel, {colours.width, colours.height}));
    if (orientation == 1) return colours;
    const Size chroma{colours.chroma_width(), colours.chroma_height()};
    const Size luma{colours.width, colours.height};
    turn(colours.y, luma, orientation);
    turn(colours.u, chroma, orientation);
    turn(colours.v, chroma, orientation);
    const Size size = displayed_size(orient_rule(orientation), luma);
    colours.width = size.width;
    colours.height = size.height;
    return colours;
}

}  // namespace fovea
