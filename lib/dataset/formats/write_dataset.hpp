#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lib/dataset/dataset.hpp"
#include "lib/dataset/image_size_lookup.hpp"
#include "lib/dataset/writers/writers.hpp"

namespace fovea {

/// Writes a dataset in another format. Images are named as in results, relative to the dataset's root. Equal
/// datasets and sizes give equal bytes. Numbers are the shortest text that reads back as the same double, or
/// whole numbers if the format's own programs read those (voc, wider, dlib: each edge of a box is rounded,
/// halves upwards). Each format has its rules in the file of its writer.
///
/// \param size_of gives sizes that Sample::size lacks, for formats with DatasetFields::needs_sizes.
/// \param losses receives one sentence for each kind of thing that the format cannot hold, with its count.
/// \throws UsageError for an unknown format; Error if the dataset has nothing that the format can hold, the
/// format cannot hold a name (blanks, line breaks, outside of the dataset's folder, equal to another image's
/// there), or a coordinate is not finite.
WrittenDataset render_dataset(const Dataset& dataset, std::string_view format, const ImageSizeLookup& size_of,
                              std::vector<std::string>& losses);

}  // namespace fovea
