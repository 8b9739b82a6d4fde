#pragma once

#include <cstdint>

namespace fovea::cuda_backend {

/// One step of a radix selection: a digit (8 bits) of the value that is looked for.
struct RadixDigit {
    std::uint32_t digit;
    std::uint32_t below;  ///< values with a smaller digit
    std::uint32_t count;  ///< values with this digit
};

/// Gives all threads of a block the digit of the `need`-th smallest value, from 1 on. All of them must call
/// it. \param count_digits adds the digits of the thread's values to a histogram [256] in shared memory.
template <class CountDigits>
__device__ RadixDigit select_digit(std::uint32_t need, const CountDigits& count_digits) {
    constexpr std::uint32_t digits = 256;
    __shared__ std::uint32_t histogram[digits];
    __shared__ RadixDigit selected;
    for (std::uint32_t i = threadIdx.x; i < digits; i += blockDim.x) histogram[i] = 0;
    __syncthreads();
    count_digits(histogram);
    __syncthreads();
    if (threadIdx.x == 0) {
        std::uint32_t below = 0, digit = 0;
        while (digit < digits - 1 && below + histogram[digit] < need) below += histogram[digit++];
        selected.digit = digit;
        selected.below = below;
        selected.count = histogram[digit];
    }
    __syncthreads();
    return selected;
}

}  // namespace fovea::cuda_backend
