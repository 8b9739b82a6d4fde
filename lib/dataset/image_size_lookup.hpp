#pragma once

#include <functional>
#include <optional>

#include "lib/core/types.hpp"
#include "lib/dataset/dataset.hpp"

namespace fovea {

/// Gives a sample's size if it is known, e.g. from a results file or by decoding the image.
using ImageSizeLookup = std::function<std::optional<ImageSize>(const Sample&)>;

}  // namespace fovea
