#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <opencv2/core/mat.hpp>

#include "lib/image/formats/image.hpp"

// Makes image files in memory.
namespace fovea::test {

using ByteVector = std::vector<std::uint8_t>;

/// A picture without symmetry, every channel different.
cv::Mat colour_picture(int width, int height, int depth = CV_8U);
cv::Mat grey_picture(int width, int height, int depth = CV_8U);

ByteVector encode(const std::string& extension, const cv::Mat& picture,
                  const std::vector<int>& parameters = {});
/// `subsampling` and `flags` as TurboJPEG's TJSAMP_... and TJFLAG_....
ByteVector encode_jpeg(const cv::Mat& picture, int subsampling, int flags = 0);
/// A sequential JPEG of three components, each in a scan of its own and each the one of `grey_jpeg`.
ByteVector with_three_scans(const ByteVector& grey_jpeg);

struct GifOptions {
    int screen_width = 0, screen_height = 0;  ///< 0: the frame's
    int left = 0, top = 0;
    bool interlaced = false;
    int transparent = -1;
    int background = 0;
    int frames = 1;
};
/// A GIF of `indices` (8-bit) with the palette (r, g, b) = palette_colour(i).
ByteVector encode_gif(const cv::Mat& indices, const GifOptions& options = {});
cv::Vec3b palette_colour(int index);

struct TiffTag {
    std::uint32_t tag, value;
    std::uint32_t type = 3;  ///< 1 BYTE, 3 SHORT, 4 LONG, 6 SBYTE, 8 SSHORT, 9 SLONG
};
/// A TIFF of one strip (or one tile, if the tags give its size) by hand: the tags given, and those of size
/// and place.
ByteVector make_tiff(int width, int height, const ByteVector& strip, const std::vector<TiffTag>& tags,
                     bool big_endian = false);
/// A PNG chunk with its checksum.
ByteVector png_chunk(const std::string& name, const ByteVector& data);
/// An EXIF block ("Exif\0\0" and a TIFF header) that holds an orientation.
ByteVector make_exif(int orientation, bool big_endian);
/// The JPEG with an APP1 segment that holds `exif` right behind its SOI.
ByteVector with_exif(const ByteVector& jpeg, const ByteVector& exif);

/// The JPEG with so many APP1 segments of 65,000 bytes (not EXIF) behind its SOI: extended metadata as
/// cameras write it.
ByteVector with_metadata(const ByteVector& jpeg, int segments);

ByteVector gzip(const ByteVector& bytes);
ByteVector bzip2(const ByteVector& bytes);

ByteVector concatenate(std::initializer_list<ByteVector> parts);
ByteVector bytes_of(const std::string& text);

/// The documented grey of a BGR(A) or grey picture of 8 or 16 bits, written independently of lib/image.
GreyImage expected_grey(const cv::Mat& picture);

/// The reason of the ImageError that `action` throws; empty if it throws none; other exceptions pass.
std::string reason_of(const std::function<void()>& action);
std::string reason_of(const ByteVector& bytes);

}  // namespace fovea::test
