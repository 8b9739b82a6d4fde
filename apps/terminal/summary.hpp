#pragma once

#include <string>
#include <vector>

#include "lib/evaluate/protocols/coco_categories.hpp"
#include "lib/job/manifest_parts.hpp"
#include "lib/job/stages/detect_images.hpp"
#include "lib/json/json_fwd.hpp"
#include "lib/report/model/table.hpp"

namespace fovea {

/// A row for every category: objects, detections, AP, AP50, AP75, AR100 and AP of small objects; then
/// the means.
report::Table categories_table(const CategoriesEvaluation& evaluation);

/// {"name", "coco": {the means, "categories": [{"id", "name", "objects", "detections", the numbers}]}}.
Json categories_json(const CategoriesEvaluation& evaluation);

/// Warns of unreadable images: their number, and the first few with their reasons. \param images the number
/// of all.
void warn_unreadable(const std::vector<UnreadableImage>& unreadable, std::size_t images);

/// Warns of pages behind the first pages of their files, if there are any.
void warn_pages_left_out(std::size_t pages);

/// Adds images, ok, unreadable, unreadable_images and interrupted.
void add_counts_json(Json& outcome, const DetectImagesResult& images);

}  // namespace fovea
