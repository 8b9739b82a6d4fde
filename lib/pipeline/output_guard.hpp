#pragma once

#include <filesystem>
#include <span>
#include <string>
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

/// A file that is going to be written.
struct PlannedOutput {
    std::filesystem::path file;  ///< empty: none is written
    std::string what;            ///< "manifest"
};

/// Refuses outputs that are the same file, by whatever names. Standard output and devices may take several.
/// \throws UsageError naming two and the file.
void refuse_equal_outputs(std::span<const PlannedOutput> outputs);

/// Makes the folder that a file is to lie in, where it is missing. \throws Error if it cannot be made.
void make_parent_folder(const std::filesystem::path& file);

}  // namespace fovea
