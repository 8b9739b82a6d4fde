#pragma once

#include <fovea/dataset.hpp>
#include <fovea/results.hpp>

#include "lib/dataset/dataset.hpp"
#include "lib/results/results.hpp"

namespace fovea::api {

struct Dataset::Data {
    fovea::Dataset dataset;
};

struct Results::Data {
    DetectionResults results;
};

}  // namespace fovea::api
