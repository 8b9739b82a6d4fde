#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "lib/dataset/dataset.hpp"
#include "lib/evaluate/detection/detection.hpp"
#include "lib/results/results.hpp"

namespace fovea {

/// COCO's numbers of one category.
struct CategoryNumbers {
    Category category;
    std::size_t objects = 0;  ///< annotated ones, crowds included
    std::size_t detections = 0;
    /// Parallel to CategoriesEvaluation::statistics; absent if undefined.
    std::vector<std::optional<double>> values;
};

struct CategoriesEvaluation {
    std::string name;                         ///< of the results
    std::vector<Quantity> statistics;         ///< COCO's twelve numbers
    std::vector<CategoryNumbers> categories;  ///< by rising id
    std::vector<std::optional<double>> mean;  ///< over the categories with such objects
    std::vector<std::string> warnings;
};

/// COCO's evaluation of several categories, each by itself: a detection finds objects of its own
/// category only.
///
/// Strict mode equals pycocotools 2.0.11 with the dataset's categories as its catIds, means included. There
/// are no intervals.
/// \param dataset read with category=* (Dataset::has_several_categories).
/// \throws UsageError if the dataset has one category, or the results say no category of a detection; Error
/// as pair_images, and if a box or score is not finite.
CategoriesEvaluation evaluate_coco_categories(const Dataset& dataset, const DetectionResults& results,
                                              ProtocolMode mode, const std::string& name);

}  // namespace fovea
