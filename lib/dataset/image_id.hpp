#pragma once

#include <cstdint>
#include <optional>

#include "lib/dataset/dataset.hpp"

namespace fovea {

/// The id that a COCO file gave the image: its attribute id_attribute where that is a whole number, else
/// absent.
std::optional<std::int64_t> image_id(const Sample& sample);

}  // namespace fovea
