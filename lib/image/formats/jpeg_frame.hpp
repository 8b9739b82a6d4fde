#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/core/view.hpp"
#include "lib/image/formats/bytes.hpp"

namespace fovea {

/// A JPEG file's picture according to its markers, for choosing a decoder.
struct JpegFrame {
    Size size;              ///< as stored, in pixels
    int components = 0;     ///< 1 grey, 3 colour, 4 CMYK
    bool baseline = false;  ///< SOF0 or SOF1, 8 bits, Huffman coding, one scan with all components
    int orientation = 1;    ///< EXIF's 1 to 8: what is to be done to the picture for display
    /// `baseline`, and the data of the scan run to an end-of-image marker without one that cannot stand among
    /// them; behind it is nothing that could belong to them.
    bool complete = false;
    bool subsampling_common = false;  ///< grey, or 4:4:4, 4:2:2, 4:2:0 or 4:4:0
    /// The first component is a luma: not RGB, not CMYK. Told as libjpeg tells it: by JFIF's marker, by
    /// Adobe's, by the names of the components.
    bool ycc_or_grey = false;

    friend bool operator==(const JpegFrame&, const JpegFrame&) = default;
};

/// Reads the markers up to the first scan and, of baseline files, those among its data; no pixel is decoded.
/// Nothing if this is no JPEG or if it ends, or has no frame header, before its first scan.
std::optional<JpegFrame> read_jpeg_frame(codec::Bytes jpeg);

/// A JPEG file that another decoder is going to decode.
struct EncodedJpeg {
    std::vector<std::uint8_t> bytes;
    JpegFrame frame;
};

}  // namespace fovea
