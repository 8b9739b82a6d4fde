#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "lib/dataset/dataset.hpp"
#include "lib/report/page/report_context.hpp"
#include "lib/results/results.hpp"

namespace fovea {

/// The annotated images of `dataset` that `results` records as unreadable or lacks (pair_images), in
/// dataset order.
std::vector<SkippedImage> images_without_results(const Dataset& dataset, const DetectionResults& results,
                                                 const std::string& detector = {});

/// Names of the images for which a detector has no result; an entry without detector holds for all detectors.
std::set<std::string> images_without_result(const std::vector<SkippedImage>& skipped,
                                            const std::string& detector);

namespace report {

/// An image without a result and the detectors that this holds for.
struct SkippedGroup {
    std::string image;
    std::string reason;
    std::vector<std::string> detectors;  ///< empty = all
};

/// Joins the entries that differ in the detector only, in the order of their first appearance: a file that
/// cannot be read is the same to every detector. \param detectors how many are compared.
std::vector<SkippedGroup> grouped_by_detector(const std::vector<SkippedImage>& skipped,
                                              std::size_t detectors);

}  // namespace report
}  // namespace fovea
