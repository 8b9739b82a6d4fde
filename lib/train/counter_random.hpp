#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

#include "lib/core/splitmix.hpp"

namespace fovea {

/// A number in [0, 1) that depends on nothing but its seed.
constexpr double unit_interval(std::uint64_t seed) {
    return static_cast<double>(mixed(seed) >> 11) * 0x1p-53;
}

/// Random numbers of one piece of work, which the keys name: they do not depend on the order and the
/// threads in which pieces are done. Unlike the distributions of the standard library, they do not differ
/// between implementations.
class CounterRandom {
  public:
    template <class... Keys>
    explicit constexpr CounterRandom(std::uint64_t seed, Keys... keys) : state_(mixed(seed)) {
        ((state_ = mixed(state_ ^ static_cast<std::uint64_t>(keys))), ...);
    }

    constexpr std::uint64_t next() { return mixed(state_++); }
    /// Uniform in [0, 1).
    constexpr double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }
    /// Its logarithm is uniform. \param from above 0 \param to at least `from`
    double log_uniform(double from, double to) { return from * std::pow(to / from, unit()); }
    /// Normal, with mean 0 and deviation 1 (Box and Muller 1958).
    double normal() {
        // 1 - unit() is never 0.
        const double radius = std::sqrt(-2 * std::log(1 - unit()));
        return radius * std::cos(2 * std::numbers::pi * unit());
    }
    /// 0 to count - 1; off from uniform by less than count / 2^53.
    constexpr std::uint64_t below(std::uint64_t count) {
        return static_cast<std::uint64_t>(unit() * static_cast<double>(count));
    }

  private:
    std::uint64_t state_;
};

}  // namespace fovea
