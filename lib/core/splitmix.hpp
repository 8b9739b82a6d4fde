#pragma once

#include <cstdint>

namespace fovea {

/// SplitMix64's output for a state (Steele, Lea, Flood 2014): a random number that depends on `value` alone.
constexpr std::uint64_t mixed(std::uint64_t value) {
    value += 0x9E3779B97F4A7C15u;
    value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9u;
    value = (value ^ (value >> 27)) * 0x94D049BB133111EBu;
    return value ^ (value >> 31);
}

}  // namespace fovea
