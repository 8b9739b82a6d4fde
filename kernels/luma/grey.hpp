#pragma once

#include <cstdint>

// How every pixel becomes 8-bit grey. Integer arithmetic only, so that a file has the same grey values on
// every machine. Alpha is ignored: a transparent pixel counts with the colour that is stored for it.
//
// JPEG's own luma (the Y of YCbCr) is taken as it is; these formulas serve all else.

namespace fovea {

/// Luma of BT.601 in 15-bit fixed point, rounded: (9798 R + 19235 G + 3735 B + 16384) >> 15.
/// The weights add up to 32768, so grey stays grey. Equal to OpenCV 4.6's COLOR_RGB2GRAY for every colour.
constexpr std::uint8_t grey_of_rgb(std::uint32_t r, std::uint32_t g, std::uint32_t b) {
    return static_cast<std::uint8_t>((9798 * r + 19235 * g + 3735 * b + 16384) >> 15);
}

/// Rounds 16 bits to 8: (v + 128) / 257, the integer nearest to 255 v / 65535. Each channel of a 16-bit
/// colour is rounded before grey_of_rgb.
constexpr std::uint8_t byte_of_16_bits(std::uint32_t v) {
    return static_cast<std::uint8_t>((v + 128) / 257);
}

/// Scales a sample of 0..maximum (1 to 65535) to 0..255: (255 v + maximum / 2) / maximum. A maximum of 65535
/// gives byte_of_16_bits, one of 255 gives v. Samples above the maximum count as the maximum.
constexpr std::uint8_t byte_of_sample(std::uint32_t v, std::uint32_t maximum) {
    return static_cast<std::uint8_t>(((v < maximum ? v : maximum) * 255 + maximum / 2) / maximum);
}

/// The grey value of CMYK as Adobe writes it to JPEG files (255 is no ink): R = (C K + 127) / 255, G and B
/// from M and Y, then grey_of_rgb.
constexpr std::uint8_t grey_of_inverted_cmyk(std::uint32_t c, std::uint32_t m, std::uint32_t y,
                                             std::uint32_t k) {
    return grey_of_rgb((c * k + 127) / 255, (m * k + 127) / 255, (y * k + 127) / 255);
}

}  // namespace fovea
