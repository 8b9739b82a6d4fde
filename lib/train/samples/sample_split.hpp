#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/train/samples/window_samples.hpp"

namespace fovea {

/// The FNV-1a hash of a name, 64 bits; the same everywhere.
std::uint64_t hash_of_name(std::string_view name);

/// Chooses round(share · count) sources to be held out: the ones with the smallest hashes of seed and name.
/// The choice depends on the names and the seed, not on the order. Equal names are one source.
/// \param share 0 to 1. \return a 1 for each source that is held out. \throws UsageError for another share.
std::vector<char> held_out_sources(std::span<const std::string> sources, double share, std::uint64_t seed);

/// Samples of which no source is in both parts. Each part names its own sources only.
struct SampleSplit {
    WindowSamples training;
    WindowSamples held_out;
};

/// Splits samples by held_out_sources(); the order stays. Sources without samples do not count. Append all
/// sets first, so that a file that two sets share is one source.
/// \throws UsageError as held_out_sources.
SampleSplit split_by_source(const WindowSamples& samples, double share, std::uint64_t seed);

}  // namespace fovea
