#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lib/dataset/dataset.hpp"
#include "lib/job/detection_job.hpp"

namespace fovea {

/// The sizes of a dataset's images, which often only the images themselves tell.
struct ImageSizes {
    std::map<std::string, ImageSize> by_name;  ///< by Sample::image
    std::vector<UnreadableImage> unreadable;
    bool interrupted = false;

    std::optional<ImageSize> find(const Sample& sample) const;
};

/// Reads the sizes of the images whose Sample::size is not set, from the beginnings of their files if these
/// tell it.
ImageSizes read_image_sizes(const Dataset& dataset, const JobHooks& hooks);

/// Sets Sample::size where it is not set and the image's file can be read. \return false if it
/// was interrupted.
bool add_image_sizes(Dataset& dataset, const JobHooks& hooks);

}  // namespace fovea
