#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace fovea {

/// Weights of a recogniser's regions, as `fovea train lbp-weights` writes them.
struct RegionWeights {
    std::vector<double> weights;  ///< of every region of every feature, 0 to 255
    std::string fingerprint;      ///< feature_fingerprint() of the recogniser that they are for
    std::string origin;           ///< for people: method and dataset
};

/// Reads {"format": "fovea-region-weights", "version": 1, "fingerprint", "origin", "weights"}.
/// \throws UsageError if the file is not there; Error naming file and key if it is broken.
RegionWeights read_region_weights(const std::filesystem::path& file);

/// Writes such a file, as a whole or not at all. \throws Error if it cannot be written.
void write_region_weights(const std::filesystem::path& file, const RegionWeights& weights);

}  // namespace fovea
