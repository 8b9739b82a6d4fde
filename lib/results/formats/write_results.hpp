#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lib/dataset/dataset.hpp"
#include "lib/files/publish.hpp"
#include "lib/results/results.hpp"

namespace fovea {

/// The images of results as a format writes them.
///
/// If there is a dataset, images have its names and order, and results of other images are left out. Formats
/// that name every image (ResultsFields::everything) then also get records of images in which nothing was
/// detected, if the results do not name those (DetectionResults::records_every_image is false). Without a
/// dataset, images stay as they were read.
/// \param dataset null: none. \param losses receives one sentence for each kind of thing that is left out.
/// \throws UsageError, Error as render_results().
std::vector<ImageResult> images_to_write(const DetectionResults& results, const Dataset* dataset,
                                         std::string_view format, std::vector<std::string>& losses);

/// Writes images_to_write() in a format that is not a table. Numbers are the shortest text that reads back as
/// the same double. Each format has its rules at its writer (results_writers.cpp).
///
/// \param dataset null: none. \param losses receives one sentence for each kind of thing that is left out.
/// \throws UsageError for an unknown format or a dataset that is missing; Error if results and dataset have
/// no image in common, a name cannot stand in the format, or a number is not finite.
OutputFiles render_results(const DetectionResults& results, const Dataset* dataset, std::string_view format,
                           std::vector<std::string>& losses);

}  // namespace fovea
