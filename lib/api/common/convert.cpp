#include "lib/api/common/convert.hpp"

#include <algorithm>
#include <cstdlib>

#include "kernels/luma/grey.hpp"
#include "lib/core/error.hpp"

namespace fovea::api {
namespace {

/// The bytes of a pixel, and the places of its colours.
struct Layout {
    int bytes = 1;
    int red = 0;
    int green = 0;
    int blue = 0;
};

Layout layout_of(PixelFormat format) {
    switch (format) {
        case PixelFormat::grey:
            return {1, 0, 0, 0};
        case PixelFormat::rgb:
            return {3, 0, 1, 2};
        case PixelFormat::bgr:
            return {3, 2, 1, 0};
        case PixelFormat::rgba:
            return {4, 0, 1, 2};
        case PixelFormat::bgra:
            return {4, 2, 1, 0};
    }
    throw UsageError("the pixel format " + std::to_string(static_cast<int>(format)) + " does not exist");
}

void check(const ImageView& image, const Layout& layout) {
    if (image.pixels == nullptr || image.width < 1 || image.height < 1) {
        throw UsageError("the image has no pixels: it is " + std::to_string(image.width) + " x " +
                         std::to_string(image.height));
    }
    const auto needed = static_cast<std::ptrdiff_t>(image.width) * layout.bytes;
    if (image.height > 1 && std::abs(image.row_bytes) < needed) {
        throw UsageError("the image's rows are " + std::to_string(image.row_bytes) + " bytes apart, but " +
                         std::to_string(image.width) + " pixels take " + std::to_string(needed));
    }
}

GreyImage converted(const ImageView& image, const Layout& layout) {
    GreyImage grey{image.width, image.height, {}};
    grey.pixels.resize(static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height));
    std::uint8_t* to = grey.pixels.data();
    for (int y = 0; y < image.height; ++y) {
        const std::uint8_t* from = image.pixels + y * image.row_bytes;
        if (layout.bytes == 1) {
            to = std::copy_n(from, image.width, to);
            continue;
        }
        for (int x = 0; x < image.width; ++x, from += layout.bytes)
            *to++ = grey_of_rgb(from[layout.red], from[layout.green], from[layout.blue]);
    }
    return grey;
}

}  // namespace

fovea::Box to_inner(const Box& box) {
    return {box.x, box.y, box.w, box.h};
}

fovea::Detection to_inner(const Detection& detection) {
    fovea::Detection inner{to_inner(detection.box), detection.score};
    const bool has_details =
        !detection.landmarks.empty() || detection.neighbors || detection.track || detection.followed;
    if (!has_details) return inner;
    DetectionDetails& details = inner.details.edit();
    for (const Point& point : detection.landmarks) details.landmarks.push_back({point.x, point.y});
    details.neighbors = detection.neighbors;
    details.track = detection.track;
    details.followed = detection.followed;
    return inner;
}

std::vector<fovea::Detection> to_inner(const std::vector<Detection>& detections) {
    std::vector<fovea::Detection> inner;
    inner.reserve(detections.size());
    for (const Detection& detection : detections) inner.push_back(to_inner(detection));
    return inner;
}

Box to_outer(const fovea::Box& box) {
    return {box.x, box.y, box.w, box.h};
}

std::vector<Point> to_outer(const std::vector<fovea::Point>& points) {
    std::vector<Point> outer;
    outer.reserve(points.size());
    for (const fovea::Point& point : points) outer.push_back({point.x, point.y});
    return outer;
}

std::vector<Detection> to_outer(const std::vector<fovea::Detection>& detections) {
    std::vector<Detection> outer;
    outer.reserve(detections.size());
    for (const fovea::Detection& detection : detections) {
        const DetectionDetails& details = *detection.details;
        outer.push_back({to_outer(detection.box), detection.score, to_outer(details.landmarks),
                         details.neighbors, details.track, details.followed});
    }
    return outer;
}

GreyPixels grey_of(const ImageView& image) {
    const Layout layout = layout_of(image.format);
    check(image, layout);
    // Rows from the bottom up are no view of the library's.
    if (layout.bytes == 1 && (image.row_bytes >= image.width || image.height == 1))
        return {
            {image.pixels, image.width, image.height, std::max<std::ptrdiff_t>(image.row_bytes, image.width)},
            {}};
    GreyPixels grey;
    grey.copy = converted(image, layout);
    grey.view = grey.copy.view();
    return grey;
}

GreyImage grey_copy_of(const ImageView& image) {
    const Layout layout = layout_of(image.format);
    check(image, layout);
    return converted(image, layout);
}

}  // namespace fovea::api
