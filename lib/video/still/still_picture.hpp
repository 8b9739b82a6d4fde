#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace fovea {

enum class StillCodec { hevc, av1 };

/// A picture that stands alone, as in HEIC and AVIF files, in its own planes: one of grey, or one of luma and
/// two of chroma.
struct StillPicture {
    struct Plane {
        const std::uint8_t* data = nullptr;
        std::ptrdiff_t stride_bytes = 0;
        int width = 0;
        int height = 0;
    };

    int width = 0;
    int height = 0;
    int bits = 8;  ///< of a sample; up to 8 it takes one byte, else two, the low one first
    int plane_count = 0;
    int chroma_shift_x = 0, chroma_shift_y = 0;  ///< chroma planes have 1 / 2^shift of the size, rounded up
    std::array<Plane, 3> planes;
    /// Codes of ITU-T H.273; 2 if the picture does not tell them.
    int primaries = 2, transfer = 2, matrix = 2;
    bool is_full_range = false;
    /// Owns the planes' memory.
    std::shared_ptr<const void> owner;
};

/// Decodes one picture on the calling thread, whole or not at all. Errors are: the decoder's complaints,
/// blocks that nothing was decoded for, data that the picture does not need, and data that end in zeros, as
/// half-copied files do. HEVC is decoded twice to find them.
/// \param data        HEVC: NAL units, each behind its length in four bytes, the highest first, as in ISO
/// base media files; AV1: OBUs, each with its length (low-overhead bitstream format)
/// \param max_pixels  a larger picture is refused before it takes memory
/// \throws VideoError with the reason; std::bad_alloc
StillPicture decode_still_picture(StillCodec codec, std::span<const std::uint8_t> data,
                                  std::int64_t max_pixels);

}  // namespace fovea
