#pragma once

#include <string>

#include "lib/dataset/dataset.hpp"
#include "lib/json/json_fwd.hpp"

namespace fovea {

/// The entry of a dataset in a training's manifest: {"dataset": last part of its path, "images": count,
/// "sha256": one hash for all files}, which is that of the text of their hashes and names. \throws Error if a
/// file cannot be read.
Json dataset_manifest(const Dataset& dataset);

}  // namespace fovea
