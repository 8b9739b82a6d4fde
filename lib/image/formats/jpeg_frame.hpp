#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/core/view.hpp"
#include "lib/image/formats/bytes.hpp"

namespace fovea {

/// A JPEG file's picture as its markers describe it, for choosing a decoder.
struct JpegFrame {
    Size size;              ///< as stored, in pixels
    int components = 0;     ///< 1 grey, 3 colour, 4 CMYK
    bool baseline = false;  ///< SOF0 or SOF1, 8 bits, Huffman coding, one scan with all components
    int orientation = 1;    ///< EXIF's, 1 to 8
    /// `baseline`, and the scan's data reach the end-of-image marker without a marker that cannot be among
    /// them; nothing that could belong to them follows.
    bool complete = false;
    bool subsampling_common = false;  ///< grey, or 4:4:4, 4:2:2, 4:2:0 or 4:4:0
    /// The first component is a luma: not RGB, not CMYK. libjpeg's rules decide: JFIF's marker, Adobe's
    /// marker, the components' names.
    bool ycc_or_grey = false;

    friend bool operator==(const JpegFrame&, const JpegFrame&) = default;
};

/// Reads the markers of a JPEG up to its first scan and, of baseline files, the markers in the scan; it
/// decodes no pixel. \return nothing if this is no JPEG, or it has no frame header before its first scan.
std::optional<JpegFrame> read_jpeg_frame(codec::Bytes jpeg);

/// A JPEG file that is kept for another decoder.
struct EncodedJpeg {
    std::vector<std::uint8_t> bytes;
    JpegFrame frame;
};

}  // namespace fovea
