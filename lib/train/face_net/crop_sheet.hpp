#pragma once

#include "lib/train/face_net/crop_drawer.hpp"
#include "lib/train/samples/window_samples.hpp"

namespace fovea {

/// The first crops of a training as grey pictures, with white frames about the faces and grey ones about what
/// is ignored. \param count at least 1
WindowSamples shown_crops(const CropDrawer& drawer, std::size_t side, std::size_t count);

}  // namespace fovea
