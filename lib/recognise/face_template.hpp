#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "kernels/face_crop/face_crop_body.hpp"
#include "lib/core/types.hpp"

namespace fovea {

/// A point of a face and its place in a crop.
struct TemplatePoint {
    int first = 0;  ///< landmark
    int count = 1;  ///< landmarks from there on whose mean the point is
    double x = 0;   ///< in widths of the crop
    double y = 0;   ///< in heights of the crop
};

/// The places of the points of a face in a crop, as a network wants them.
struct FaceTemplate {
    int landmarks = 0;  ///< of the landmark model that it is for
    std::span<const TemplatePoint> points;
    /// Pixels from the centre of the top left pixel, where places are 0 here, to where they are 0 there.
    double origin = 0;
};

/// The templates by the name that a recogniser's file gives them, each for one or several landmark models:
/// "dlib" (get_face_chip_details() of dlib 19 with a padding of 0.25, for 68 and 5 landmarks) or "arcface"
/// (five points in 112×112 of J. Deng et al., "ArcFace", CVPR 2019, insightface, for 68 landmarks). Empty for
/// another name.
std::span<const FaceTemplate> face_templates(std::string_view name);

/// The places in the image of the eyes of a crop: a similarity transform takes them there, which fits the
/// template to the landmarks best (least squares). \return nothing if no template is for so many landmarks,
/// or if all points are at one place.
std::optional<CropEyes> template_eyes(std::span<const FaceTemplate> templates, const CropGeometry& crop,
                                      std::span<const Point> landmarks);

}  // namespace fovea
