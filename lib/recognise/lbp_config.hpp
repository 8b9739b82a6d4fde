#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "kernels/histogram_search/histogram_layout.hpp"
#include "lib/recognise/recogniser_config.hpp"

namespace fovea {

class FieldVisitor;

/// The members of recognisers by local binary patterns: mirror and features; distance and weights.
/// \param folder of the file of weights. \throws UsageError naming the key's full path.
void describe_lbp_features(FieldVisitor& visitor, RecogniserConfig& config,
                           const std::filesystem::path& folder);
void describe_lbp_distance(FieldVisitor& visitor, RecogniserConfig& config,
                           const std::filesystem::path& folder);

/// "chi-square", "intersection", "l1", "l2" or "cosine".
std::string to_string(HistogramDistance distance);

/// Published weights of 7×7 regions (Ahonen, Hadid, Pietikäinen 2006, figure 7b), row by row.
const std::vector<double>& ahonen_weights();

/// The layout of the config's vectors, weights in units of 1/256, rounded.
/// \throws std::invalid_argument as lbp_layout.
HistogramLayout histogram_layout(const RecogniserConfig& config);

}  // namespace fovea
