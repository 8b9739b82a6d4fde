#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lib/dataset/dataset.hpp"
#include "lib/dataset/image_size_lookup.hpp"
#include "lib/dataset/writers/writers.hpp"

namespace fovea {

/// A dataset in another format. Images are named as in results, relative to the dataset's root. Equal
/// datasets and sizes give equal bytes. Numbers are the shortest text that reads back to the same double, or
/// whole where the format's own programs read whole numbers (voc, wider, dlib: left, right, top and bottom
/// edge are rounded each, halves upwards). Each format has its rules in the file of its writer.
///
/// \param losses receives one sentence for each kind of thing that the format cannot hold, with its count.
/// \param size_of sizes where Sample::size is not set; used only where DatasetFields::needs_sizes.
/// \throws UsageError for an unknown format; Error if the dataset has nothing that the format could hold, a
/// name cannot stand in it (blanks, line breaks, outside of the dataset's folder, two images that share one
/// name there), or a coordinate is not finite.
WrittenDataset render_dataset(const Dataset& dataset, std::string_view format, const ImageSizeLookup& size_of,
                              std::vector<std::string>& losses);

}  // namespace fovea
