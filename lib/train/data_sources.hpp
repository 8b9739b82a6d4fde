#pragma once

#include <string>

#include "lib/config/config.hpp"
#include "lib/dataset/dataset.hpp"
#include "lib/image/formats/image.hpp"
#include "lib/json/json_fwd.hpp"

namespace fovea {

/// \throws UsageError if no dataset was named. \param with what it needs: "landmarks".
void require_dataset(const DatasetConfig& config, const std::string& with);

/// The entry of a dataset in a training's manifest: {"dataset": last part of its path, "images": count,
/// "sha256": one hash for all files, made of the text of their hashes and names}. \throws Error if a file
/// cannot be read.
Json dataset_manifest(const Dataset& dataset);

/// Reads a picture of tiles, one below the other. \throws Error
/// naming the file if it is not there or cannot be decoded; ShortageError
GreyImage read_strip(const std::string& file);

}  // namespace fovea
