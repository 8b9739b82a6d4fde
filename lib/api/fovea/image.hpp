#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include <fovea/types.hpp>

namespace fovea::api {

/// The bytes of a pixel, 8 bits each.
enum class PixelFormat { grey, rgb, bgr, rgba, bgra };

/// A view of an image in the caller's memory. Row y begins at pixels + y * row_bytes, and its pixels follow
/// each other without gaps. Grey pixels are not copied. Colours become grey, as in PNG files, by BT.601's
/// luma (9798 R + 19235 G + 3735 B + 16384) >> 15; alpha is ignored.
struct ImageView {
    const std::uint8_t* pixels = nullptr;
    int width = 0;
    int height = 0;
    std::ptrdiff_t row_bytes = 0;
    PixelFormat format = PixelFormat::grey;
};

/// An 8-bit grey image, row-major, rows without gaps.
struct Image {
    int width = 0;
    int height = 0;
    std::vector<std::uint8_t> pixels;  ///< height × width

    ImageView view() const { return {pixels.data(), width, height, width}; }
};

struct ReadOptions {
    double max_megapixels = 400;  ///< larger images are refused before they take memory
    bool apply_exif_orientation = true;
};

/// Reads a file and decodes it to grey at its full size, as the program does on the CPU: JPEG, PNG, TIFF,
/// WebP, GIF, BMP, PNM, HEIC, AVIF, JPEG XL, JPEG 2000 and raw files of cameras, recognised by content. JPEG
/// keeps its own luma.
/// \throws Error with the reason if the file is not there, or no complete image within the limits.
Image read_image(const std::filesystem::path& file, const ReadOptions& options = {});

/// Decodes the bytes of a file as read_image() does.
Image decode_image(std::span<const std::uint8_t> bytes, const ReadOptions& options = {});

}  // namespace fovea::api
