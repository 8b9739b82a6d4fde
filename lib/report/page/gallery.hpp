#pragma once

#include <string>
#include <vector>

#include "lib/dataset/dataset.hpp"
#include "lib/report/model/report.hpp"
#include "lib/report/page/exhibits.hpp"
#include "lib/report/page/thumbnails.hpp"

namespace fovea::report {

/// A thumbnail with the exhibit's boxes and points over it. Boxes that do not touch it are left out.
Picture picture_of(const std::string& image, const Exhibit& exhibit, const Thumbnail& thumbnail);

/// Pictures in the order of the exhibits. \param thumbnails parallel to the exhibits. \param id unique in
/// the report.
/// \param title above the pictures; may be empty. \param note how many of how many, and in which order.
Gallery gallery_of(const Dataset& dataset, const std::vector<Exhibit>& exhibits,
                   const std::vector<Thumbnail>& thumbnails, const std::string& id, const std::string& title,
                   const std::string& note);

/// The meaning of the boxes over pictures.
Paragraph picture_legend();

/// "24 of 131, largest first." or "All 7, largest first."
std::string how_many_shown(std::size_t shown, long long all, const std::string& order);

}  // namespace fovea::report
