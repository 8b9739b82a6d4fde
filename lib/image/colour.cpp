#include "lib/image/colour.hpp"

#include <utility>
#include <vector>

#include <opencv2/imgproc.hpp>

#include "lib/image/formats/byte_source.hpp"
#include "lib/image/formats/codec.hpp"
#include "lib/image/formats/orientation.hpp"
#include "lib/image/formats/picture.hpp"
#include "lib/image/read_grey.hpp"

namespace fovea {
namespace {

using codec::ImageFormat;
using codec::ImageHeader;

cv::Mat mat_of(const GreyImage& image) {
    // A header over the pixels, cloned before they go.
    return cv::Mat(image.height, image.width, CV_8UC1, const_cast<std::uint8_t*>(image.pixels.data()))
        .clone();
}

/// Turned plane by plane, as the grey image is.
cv::Mat turned(const cv::Mat& picture, int orientation) {
    if (orientation == 1) return picture;
    std::vector<cv::Mat> planes;
    cv::split(picture, planes);
    for (cv::Mat& plane : planes) {
        GreyImage stored{plane.cols, plane.rows, {}};
        stored.pixels.assign(plane.begin<std::uint8_t>(), plane.end<std::uint8_t>());
        plane = mat_of(apply_orientation(std::move(stored), orientation));
    }
    cv::Mat result;
    cv::merge(planes, result);
    return result;
}

}  // namespace

cv::Mat read_picture(const std::filesystem::path& path, const DecodeOptions& options) {
    codec::FileSource file(path);
    std::vector<std::uint8_t> bytes(file.size());
    bytes.resize(file.read(bytes.data(), bytes.size()));
    file.release();
    return read_picture(bytes, options);
}

cv::Mat read_picture(std::span<const std::uint8_t> bytes, const DecodeOptions& options) {
    const ImageFormat format = codec::format_of(codec::MemoryAccess(bytes));
    switch (format) {
        case ImageFormat::unknown:
        case ImageFormat::gzip:
        case ImageFormat::bzip2:
        case ImageFormat::tiff:
        case ImageFormat::pnm:
        case ImageFormat::gif:
            return mat_of(decode_grey_image(bytes, options));
        default:
            break;
    }
    const ImageHeader header = codec::read_header(format, bytes);
    codec::check_size(header, options);
    codec::Picture picture = codec::read_picture(format, bytes, header);
    cv::Mat pixels = codec::bytes_of(std::move(picture.pixels));
    if (pixels.channels() == 3) cv::cvtColor(pixels, pixels, cv::COLOR_RGB2BGR);
    return turned(pixels, options.apply_exif_orientation ? picture.orientation : 1);
}

cv::Mat read_picture(const ImageLocation& place, const DecodeOptions& options) {
    return place.frame ? mat_of(read_grey_image(place, options)) : read_picture(place.file, options);
}

}  // namespace fovea
