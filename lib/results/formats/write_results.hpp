#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lib/dataset/dataset.hpp"
#include "lib/files/output_files.hpp"
#include "lib/results/results.hpp"

namespace fovea {

/// The images of results as they are written in a format.
///
/// A dataset makes results those of its images, named and ordered as there; results of other images are left
/// out. Formats that name every image (ResultsFields::everything) get a record, too, of images that the
/// results do not name because nothing was detected in them (DetectionResults::records_every_image is false).
/// The images are as they were read if there is no dataset. \param dataset null: none. \param losses receives
/// one sentence for each kind of thing that is left out. \throws UsageError, Error as render_results.
std::vector<ImageResult> images_to_write(const DetectionResults& results, const Dataset* dataset,
                                         std::string_view format, std::vector<std::string>& losses);

/// Results in another format, but for tables. Numbers are the shortest text that reads back to the
/// same double.
///
/// They are those of images_to_write(). Each format has its rules at its writer (results_writers.cpp).
///
/// \param dataset null: none. \param losses receives one sentence for each kind of thing that is left out.
/// \throws UsageError for an unknown format or a dataset that is missing; Error if results and dataset have
/// no image in common, a name cannot stand in the format, or a number is not finite.
OutputFiles render_results(const DetectionResults& results, const Dataset* dataset, std::string_view format,
                           std::vector<std::string>& losses);

}  // namespace fovea
