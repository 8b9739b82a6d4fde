#pragma once

#include <filesystem>
#include <vector>

#include "lib/archive/image_list.hpp"
#include "lib/dataset/dataset.hpp"

namespace fovea {

/// Refuses an output file that is one of the inputs: a list or annotation file of the dataset, one of its images
/// (also through a link of the same name), or one of `others` (models, configurations, results).
/// \throws UsageError naming both.
void refuse_to_overwrite_inputs(const std::filesystem::path& output, const Dataset& dataset,
                                const std::vector<std::filesystem::path>& others);

/// The same of a list of images; archives count as lists.
void refuse_to_overwrite_inputs(const std::filesystem::path& output, const ImageList& images,
                                const std::vector<std::filesystem::path>& others);

/// Makes the folder that a file is to lie in, where it is missing. \throws Error if it cannot be made.
void make_parent_folder(const std::filesystem::path& file);

}  // namespace fovea
