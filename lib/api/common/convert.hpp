#pragma once

#include <vector>

#include <fovea/image.hpp>
#include <fovea/types.hpp>

#include "kernels/core/view.hpp"
#include "lib/core/types.hpp"
#include "lib/image/formats/image.hpp"

// From the types of <fovea/...> to those of the library, and back.

namespace fovea::api {

fovea::Box to_inner(const Box& box);
fovea::Detection to_inner(const Detection& detection);
std::vector<fovea::Detection> to_inner(const std::vector<Detection>& detections);

Box to_outer(const fovea::Box& box);
std::vector<Point> to_outer(const std::vector<fovea::Point>& points);
std::vector<Detection> to_outer(const std::vector<fovea::Detection>& detections);

/// An image in grey, as detectors take it: a view of the caller's pixels if they are grey, else of a copy.
struct GreyPixels {
    fovea::ImageView<const std::uint8_t> view;
    GreyImage copy;
};

/// Makes an image grey. \throws UsageError if the view has no pixels or its rows overlap.
GreyPixels grey_of(const ImageView& image);

/// Makes a grey copy of an image. \throws as grey_of()
GreyImage grey_copy_of(const ImageView& image);

}  // namespace fovea::api
