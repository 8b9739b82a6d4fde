#pragma once

#include "kernels/histogram_search/histogram_distance_body.hpp"
#include "kernels/histogram_search/histogram_layout.hpp"
#include "lib/recognise/recogniser_kinds.hpp"

namespace fovea {

/// Recognisers by histograms of local binary patterns in regions of the face.
RecogniserKind lbp_recognisers();

/// Histograms are compared on the CPU and on GPUs. \throws std::invalid_argument as check_histogram_layout.
FeatureMetric histogram_metric(const HistogramLayout& layout, HistogramDistance distance);

}  // namespace fovea
