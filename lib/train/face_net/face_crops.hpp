#pragma once

#include <cstddef>
#include <vector>

#include "lib/core/types.hpp"
#include "lib/image/formats/image.hpp"
#include "lib/train/counter_random.hpp"

namespace fovea {

/// A photograph to learn from.
struct FacePhotograph {
    GreyImage image;
    std::vector<Box> faces;
    std::vector<Box> ignored;  ///< neither faces nor the absence of them
    bool is_complete =
        true;  ///< every face is annotated; else only the surroundings of the faces are learned from
};

/// How crops are drawn from photographs.
struct CropSettings {
    std::size_t side = 192;  ///< of a crop, pixels
    double min_face = 12;    ///< √(width · height) of the face that a crop is drawn for, pixels
    double max_face = 180;
    double max_enlargement = 1.6;
    double turn_deg = 10;   ///< standard deviation; at most 3.5 times as much
    double aspect = 0.05;   ///< standard deviation of the logarithm of width over height
    double contrast = 0.3;  ///< standard deviation of the logarithm of the contrast
    double light = 25;      ///< standard deviation, grey levels
    double max_noise = 8;   ///< standard deviation in half of the crops, grey levels
};

/// Faces in a crop, in its pixels.
struct CropTruth {
    std::vector<Box> faces;  ///< boxes about the centres of turned faces, upright
    std::vector<Box> ignored;
    bool is_complete = true;
};

/// Draws a crop: of a face at a random size and place, or of a photograph without faces at a random scale;
/// turned, mirrored, with other light, blur and noise. \param pixels [row][column], gets (grey level − 128)
/// / 64. The same for the same `random`.
CropTruth draw_crop(const FacePhotograph& photograph, const CropSettings& settings, CounterRandom random,
                    float* pixels);

}  // namespace fovea
