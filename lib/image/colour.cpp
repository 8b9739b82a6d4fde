#include "lib/image/colour.hpp"

#include <array>
#include <fstream>
#include <memory>
#include <vector>

#include <opencv2/imgproc.hpp>
#include <turbojpeg.h>

#include "lib/files/file.hpp"
#include "lib/image/formats/codec.hpp"
#include "lib/image/formats/opencv_decode.hpp"
#include "lib/image/formats/orientation.hpp"
#include "lib/image/read_grey.hpp"

namespace fovea {
namespace {

using codec::Bytes;
using codec::ImageFormat;
using codec::ImageHeader;

ImageFormat format_of(const std::filesystem::path& path) {
    std::array<char, 64> head{};
    std::ifstream file(path, std::ios::binary);
    file.read(head.data(), head.size());
    return codec::sniff(
        {reinterpret_cast<const std::uint8_t*>(head.data()), static_cast<std::size_t>(file.gcount())});
}

cv::Mat mat_of(const GreyImage& image) {
    // A header over the pixels, cloned before they go.
    return cv::Mat(image.height, image.width, CV_8UC1, const_cast<std::uint8_t*>(image.pixels.data()))
        .clone();
}

/// Empty where the colours cannot be had. The grey decoder has judged the file: libjpeg's warnings are known.
cv::Mat jpeg_colours(Bytes bytes, const ImageHeader& header) {
    const std::unique_ptr<void, int (*)(tjhandle)> handle(tjInitDecompress(), &tjDestroy);
    if (!handle) return {};
    int width = 0;
    int height = 0;
    int subsampling = 0;
    int colour_space = -1;
    tjDecompressHeader3(handle.get(), bytes.data(), static_cast<unsigned long>(bytes.size()), &width, &height,
                        &subsampling, &colour_space);
    if (width != header.width || height != header.height || colour_space != TJCS_YCbCr) return {};
    cv::Mat picture(height, width, CV_8UC3);
    const int outcome =
        tjDecompress2(handle.get(), bytes.data(), static_cast<unsigned long>(bytes.size()), picture.data,
                      width, 0, height, TJPF_BGR, TJFLAG_ACCURATEDCT | TJFLAG_LIMITSCANS);
    return outcome == 0 || tjGetErrorCode(handle.get()) == TJERR_WARNING ? picture : cv::Mat();
}

/// The chunks that make the pixels of a PNG that the grey decoder has read: libpng reports what it finds odd
/// in the others to standard error.
std::vector<std::uint8_t> essential_png(Bytes bytes) {
    const codec::HeaderReader reader(bytes, codec::ByteOrder::big, "PNG");
    std::size_t at = 8;
    std::vector<std::uint8_t> essential(bytes.begin(), bytes.begin() + 8);
    while (at + 12 <= bytes.size()) {
        const Bytes chunk = bytes.subspan(at, std::min<std::size_t>(bytes.size() - at, reader.u32(at) + 12U));
        const bool is_critical = (chunk[4] & 0x20) == 0;
        if (is_critical) essential.insert(essential.end(), chunk.begin(), chunk.end());
        if (codec::has_magic(chunk, 4, "IEND", 4)) break;
        at += chunk.size();
    }
    return essential;
}

cv::Mat png_colours(Bytes bytes, const ImageHeader& header) {
    cv::Mat picture = codec::decode_with_opencv(essential_png(bytes), header, "PNG");
    if (picture.channels() < 3) return {};
    if (picture.depth() == CV_16U) picture.convertTo(picture, CV_8U, 1 / 257.0);
    if (picture.channels() == 4) cv::cvtColor(picture, picture, cv::COLOR_BGRA2BGR);
    return picture.type() == CV_8UC3 ? picture : cv::Mat();
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
    const ImageFormat format = format_of(path);
    if (format != ImageFormat::jpeg && format != ImageFormat::png) {
        return mat_of(read_grey_image(path, options));
    }
    const std::string file = read_file(path, "image");
    const Bytes bytes(reinterpret_cast<const std::uint8_t*>(file.data()), file.size());
    const ImageHeader header = codec::read_header(format, bytes);
    codec::check_size(header, options);
    // In grey first: it tells what is damaged, and how the picture is to be turned.
    codec::DecodedImage grey =
        format == ImageFormat::jpeg ? codec::decode_jpeg(bytes, header) : codec::decode_png(bytes, header);
    const int orientation = options.apply_exif_orientation ? grey.orientation : 1;
    const cv::Mat colours =
        format == ImageFormat::jpeg ? jpeg_colours(bytes, header) : png_colours(bytes, header);
    if (colours.empty()) return mat_of(apply_orientation(std::move(grey.image), orientation));
    return turned(colours, orientation);
}

cv::Mat read_picture(const ImageLocation& place, const DecodeOptions& options) {
    return place.frame ? mat_of(read_grey_image(place, options)) : read_picture(place.file, options);
}

}  // namespace fovea
