#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "lib/core/types.hpp"
#include "lib/dataset/dataset.hpp"
#include "lib/job/detection_job.hpp"
#include "tests/lab/tracks/photo_levels.hpp"

namespace fovea {

/// A head in a photograph: an upright ellipse about the face, with a soft edge.
struct CutOut {
    std::shared_ptr<const PhotoLevels> photo;
    Face face;  ///< in the photograph, with landmarks
    Point centre;
    double radius_x = 0, radius_y = 0;  ///< pixels
    double face_width = 0;              ///< of the landmarks, pixels

    /// How much of the head is drawn at a place of the photograph: 1 inside, falling to 0 at the ellipse.
    /// Nothing is drawn from outside the photograph.
    double opacity(const Point& place) const;
};

/// \param face with landmarks that have an extent.
CutOut cut_out_face(std::shared_ptr<const PhotoLevels> photo, const Face& face);

/// Faces to draw, and the photographs that they are from.
struct CutOuts {
    std::vector<CutOut> faces;
    std::vector<std::shared_ptr<const PhotoLevels>> photos;  ///< at least one
    std::vector<UnreadableImage> unreadable;
};

/// Cuts faces with so many landmarks out of the photographs of a dataset, until there are `max_faces`. Faces
/// that are to be ignored, that are narrower than 32 pixels, or that have another face in their ellipse are
/// left out.
/// \throws UsageError if there are no such faces; Error if no photograph can be read.
CutOuts cut_out_faces(const Dataset& dataset, std::size_t landmarks, std::size_t max_faces);

}  // namespace fovea
