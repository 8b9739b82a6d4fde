#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/core/device.hpp"
#include "kernels/core/view.hpp"

namespace fovea {

/// The luma of a video frame, as a decoder gives it: unsigned samples in rows.
struct LumaPlane {
    const std::uint8_t* data = nullptr;  ///< first byte of the first sample
    int width = 0;
    int height = 0;
    std::ptrdiff_t stride_bytes =
        0;               ///< from row to row; negative where rows are stored from the last one on
    int step_bytes = 1;  ///< from sample to sample of a row
    int bits = 8;        ///< of a sample, 8 to 16; samples of more than 8 bits are little-endian words
    int shift = 0;       ///< lowest bits of the word that are no part of the sample
    bool is_full_range = false;  ///< black to white is 0 to 2^bits - 1; else 16 to 235, times 2^(bits - 8)

    bool empty() const { return width <= 0 || height <= 0; }
};

/// A plane that is to become a grey image.
struct LumaTask {
    LumaPlane luma;
    ImageView<std::uint8_t> grey;  ///< of the same size
};

/// Makes grey images of luma planes by integers: more than 8 bits are rounded to 8, (v + half) >> (bits - 8);
/// then limited range is expanded, ((v - 16) * 255 + 109) / 219, clamped to 0 to 255, and full range stays as
/// it is. The ranges are those of ITU-R BT.601, BT.709 and BT.2020.
///
/// \param device where planes and images lie; asynchronous on CUDA, 32 planes a launch. On the CPU in the
/// calling thread alone. \param tasks host memory, not used after the call. Planes of no pixels are left out.
/// \throws std::invalid_argument for a number of bits outside 8 to 16, a shift outside the word, or images of
/// another size, before anything is done; DeviceError if a launch fails.
void luma_to_grey(const Device& device, std::span<const LumaTask> tasks);

}  // namespace fovea
