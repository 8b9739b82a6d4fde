#pragma once

#include <cstdint>

namespace fovea {

/// SplitMix64's mixing (Steele, Lea, Flood 2014): numbers in a random order that needs no generator's state.
constexpr std::uint64_t mixed(std::uint64_t value) {
    value += 0x9E3779B97F4A7C15u;
    value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9u;
    value = (value ^ (value >> 27)) * 0x94D049BB133111EBu;
    return value ^ (value >> 31);
}

}  // namespace fovea
