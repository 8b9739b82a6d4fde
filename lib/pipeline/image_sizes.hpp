#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lib/dataset/dataset.hpp"
#include "lib/pipeline/detection_job.hpp"

namespace fovea {

/// The sizes of a dataset's images, which often only the images themselves tell.
struct ImageSizes {
    std::map<std::string, ImageSize> by_name;  ///< by Sample::image
    std::vector<UnreadableImage> unreadable;
    bool interrupted = false;

    std::optional<ImageSize> find(const Sample& sample) const;
};

/// Decodes the images whose Sample::size is not set, on all cores.
ImageSizes read_image_sizes(const Dataset& dataset, const RunHooks& hooks);

}  // namespace fovea
