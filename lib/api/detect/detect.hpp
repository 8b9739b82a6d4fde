#pragma once

// Detecting faces from another program: link fovea::detect, include <fovea/detect.hpp>.
//
//   const auto detector = fovea::load_detector(fovea::find_model("wild"), fovea::DetectionDevice::cpu());
//   const fovea::GreyImage image = fovea::read_grey_image("photo.jpg");
//   for (const fovea::Detection& face : detector->detect(image.view(), {})[0]) ...

#include "lib/core/error.hpp"
#include "lib/core/types.hpp"
#include "lib/detect/detector.hpp"
#include "lib/files/find_model.hpp"
#include "lib/image/read_grey.hpp"
