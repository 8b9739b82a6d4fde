#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <vector>

#include "lib/core/types.hpp"

namespace fovea {

/// The generator of one of many random repetitions, which can be made in any order and on any number
/// of threads: std::mt19937_64 seeded by std::seed_seq with `seed` and `index`. The C++ standard fixes
/// its values.
std::mt19937_64 repetition_generator(std::uint64_t seed, std::size_t index);

/// A number from 0 to bound - 1, each equally likely; bound > 0. The same on every machine, which the
/// standard's distributions are not.
std::uint64_t draw_below(std::mt19937_64& generator, std::uint64_t bound);

/// The interval from the 2.5 % to the 97.5 % quantile of the values, by nearest ranks: as many values lie
/// below it as above it. None without values.
std::optional<Interval> central_95_percent(std::vector<double> values);

}  // namespace fovea
