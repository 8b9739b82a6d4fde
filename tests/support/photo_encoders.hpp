#pragma once

#include <optional>
#include <vector>

#include <opencv2/core/mat.hpp>

#include "tests/support/encoders.hpp"

// Makes files of the formats of phones and cameras in memory, by the libraries that read them.
namespace fovea::test {

enum class HeifCodec { hevc, av1 };

/// HEIC or AVIF of a CV_8UC3 picture (blue first), in best quality. \param orientation  EXIF's, which becomes
/// a turn in the container
ByteVector encode_heif(const cv::Mat& picture, HeifCodec codec, int orientation = 1);

/// A HEIC that joins `columns` x `rows` times the same picture, which encode_heif() made of it by HEVC.
/// \param damaged  the number of the tile of which a bit is flipped in the middle; -1 for none
/// \param is_turned  to the left by a quarter, by a property before that of the size, as cameras of Sony
/// write it
ByteVector heif_grid(const ByteVector& tile, int columns, int rows, int tile_width, int tile_height,
                     int damaged = -1, bool is_turned = false);

/// The same HEIC or AVIF, which says that it is of another size.
ByteVector with_heif_size(ByteVector file, std::uint32_t width, std::uint32_t height);

/// Without loss, of CV_8UC1 or CV_8UC3. \param orientation  EXIF's, noted in the header \param extra_channels
/// beside the colours, all zero
ByteVector encode_jpeg_xl(const cv::Mat& picture, int orientation = 1, std::uint32_t extra_channels = 0);

struct Jpeg2000Options {
    bool bare = false;    ///< a codestream without the container JP2
    int bits = 8;         ///< of the samples, 1 to 16; the picture's type is CV_8U up to 8 bits, else CV_16U
    bool is_ycc = false;  ///< the channels are said to be luma and chroma
};
/// Without loss, of one or three channels; three are taken in their order as red, green, blue.
ByteVector encode_jpeg_2000(const cv::Mat& picture, const Jpeg2000Options& options = {});

/// A DNG whose raw image is `mosaic` (CV_16UC1, red at the top left, green beside it), below a directory with
/// a preview where one is given.
ByteVector encode_dng(const cv::Mat& mosaic, const std::optional<ByteVector>& preview, int orientation = 1);

}  // namespace fovea::test
