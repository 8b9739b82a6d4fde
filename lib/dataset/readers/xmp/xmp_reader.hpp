#pragma once

#include "lib/dataset/readers/readers.hpp"

namespace fovea {

DatasetReader read_xmp_dataset;

}  // namespace fovea
