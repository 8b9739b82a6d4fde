#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace fovea {

enum class StillCodec { hevc, av1 };

/// A picture that stands alone, as the items of HEIC and AVIF files do, in its own planes: one of grey, or
/// luma and the two of chroma.
struct StillPicture {
    struct Plane {
        const std::uint8_t* data = nullptr;
        std::ptrdiff_t stride_bytes = 0;
        int width = 0;
        int height = 0;
    };

    int width = 0;
    int height = 0;
    int bits = 8;  ///< of a sample: of a byte up to 8, else of two, the low byte first
    int plane_count = 0;
    int chroma_shift_x = 0, chroma_shift_y = 0;  ///< chroma planes have 1 / 2^shift of the size, rounded up
    std::array<Plane, 3> planes;
    /// Codes of ITU-T H.273; 2 where the picture does not tell.
    int primaries = 2, transfer = 2, matrix = 2;
    bool is_full_range = false;
    /// Holds the planes.
    std::shared_ptr<const void> owner;
};

/// Decodes one picture on the calling thread, whole or not at all: whatever the decoder complains of, blocks
/// that nothing was decoded for, data that the picture does not need, and data that end in zeros, as
/// half-copied files do, are errors. HEVC is decoded twice for that. \param data  HEVC: NAL units, each
/// behind its length of four bytes, the first byte the highest, as ISO base media files have them; AV1: OBUs,
/// each with its length (low-overhead bitstream format)
/// \param max_pixels  a larger picture is refused before it takes memory
/// \throws VideoError with the reason; std::bad_alloc
StillPicture decode_still_picture(StillCodec codec, std::span<const std::uint8_t> data,
                                  std::int64_t max_pixels);

}  // namespace fovea
