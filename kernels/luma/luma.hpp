#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/core/device.hpp"
#include "kernels/core/view.hpp"

namespace fovea {

/// The luma of a video frame, as a decoder gives it: unsigned samples in rows.
struct LumaPlane {
    /// The first byte of the first row's first sample.
    const std::uint8_t* data = nullptr;
    int width = 0;
    int height = 0;
    /// From row to row; negative where the last row is stored first.
    std::ptrdiff_t stride_bytes = 0;
    /// From sample to sample of a row.
    int step_bytes = 1;
    /// Bits of a sample, 8 to 16. Samples of more than 8 bits are little-endian words of 16.
    int bits = 8;
    /// The number of lowest bits of a word that are no part of the sample.
    int shift = 0;
    /// True if black to white is 0 to 2^bits - 1; else it is 16 to 235, times 2^(bits - 8).
    bool is_full_range = false;

    bool empty() const { return width <= 0 || height <= 0; }
};

/// A plane that is to become a grey image.
struct LumaTask {
    LumaPlane luma;
    ImageView<std::uint8_t> grey;  ///< as large as `luma`
};

/// Makes grey images of luma planes by integers. Samples of more than 8 bits are rounded to 8,
/// (v + half) >> (bits - 8). Limited range is then expanded, ((v - 16) * 255 + 109) / 219, and clamped to 0
/// to 255; full range stays as it is. The ranges are those of ITU-R BT.601, BT.709 and BT.2020. Planes
/// without pixels are left out.
///
/// \param device where planes and images lie. On CUDA asynchronous, 32 planes a launch; on the CPU in the
/// calling thread alone. \param tasks host memory, not used after the call. \throws std::invalid_argument for
/// a number of bits outside 8 to 16, a shift outside the word, or images of another size, before anything is
/// done; DeviceError if a launch fails.
void luma_to_grey(const Device& device, std::span<const LumaTask> tasks);

}  // namespace fovea
