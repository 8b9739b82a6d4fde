#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lib/core/types.hpp"

namespace fovea {

/// The length by which the distances of landmarks are divided, always one of the ground truth. Indices are
/// those of the 68 points of Multi-PIE and iBUG, from 0.
enum class LandmarkNormaliser {
    outer_eye_corners,  ///< |p36 - p45|: 300-W's "inter-ocular distance" (68 points only)
    pupils,             ///< between the means of p36 ... p41 and of p42 ... p47 (68 points only)
    eye_centres,        ///< between the annotated eyes (other numbers of points, where all faces have eyes)
    box_diagonal,       ///< √(w² + h²) of the tight box of the face's landmarks
    sqrt_box_area,      ///< √(w·h) of the same box
};

/// The name in report.json: "outer_eye_corners".
std::string normaliser_name(LandmarkNormaliser normaliser);
/// The name for people: "outer eye corners".
std::string normaliser_title(LandmarkNormaliser normaliser);
/// A part of a sentence that says which length it is.
std::string normaliser_description(LandmarkNormaliser normaliser);

/// True for annotated faces that landmarks are measured on: they have landmarks and are not marked ignore.
bool counts_for_landmarks(const Face& face);

/// The normaliser of a name as normaliser_name() gives it. \throws UsageError listing the names that
/// there are.
LandmarkNormaliser normaliser_from_string(const std::string& name);

/// The normalisers that faces of so many landmarks have, the field's usual one first.
/// \param eyes all of the faces have annotated eyes.
std::vector<LandmarkNormaliser> normalisers_for(std::size_t landmarks, bool eyes);

/// The length in pixels, 0 for degenerate faces. \throws std::invalid_argument if the face lacks the points
/// or eyes that it is measured between.
double normaliser_length(LandmarkNormaliser normaliser, const Face& face);

/// The box from the least to the largest x and y of the points; an empty box without points.
Box tight_box(std::span<const Point> points);

double distance(const Point& a, const Point& b);

/// Landmarks that belong together.
struct LandmarkRegion {
    std::string name;   ///< "right_eye"
    std::string title;  ///< "right eye"
    std::size_t first = 0;
    std::size_t count = 0;
    bool closed = false;  ///< drawn as a closed line
};

/// The regions of the 68 points, in their order: jaw 0-16, right brow 17-21, left brow 22-26, nose 27-35,
/// right eye 36-41, left eye 42-47, outer mouth 48-59, inner mouth 60-67; "right" is the subject's right, on
/// the image's left. None for other numbers of points.
std::vector<LandmarkRegion> landmark_regions(std::size_t landmarks);

/// The mean of shapes of equally many points: each is moved to centre 0, scaled to root-mean-square radius 1
/// and turned to fit the mean best, repeatedly (generalised Procrustes analysis, J. C. Gower 1975); upright
/// as the shapes are on average. Shapes that are a single point are left out; empty without shapes.
std::vector<Point> mean_shape(const std::vector<const std::vector<Point>*>& shapes);

}  // namespace fovea
