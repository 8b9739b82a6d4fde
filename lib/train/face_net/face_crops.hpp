#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "lib/core/types.hpp"
#include "lib/image/formats/image.hpp"
#include "lib/train/counter_random.hpp"

namespace fovea {

/// A photograph to learn from.
struct FacePhotograph {
    GreyImage image;
    /// The image reduced by 2, 4, 8, …; may be empty. Crops of large faces are cut from these.
    std::vector<GreyImage> smaller;
    std::vector<Box> faces;
    std::vector<Box> ignored;  ///< neither faces nor the absence of them
    /// Every face is annotated; else only the surroundings of the faces are learned from.
    bool is_complete = true;
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
    /// Share of the crops that show a photograph without faces beyond the border of their own; the others are
    /// grey there.
    double filled = 0.75;
    /// Share of the crops that are four small crops of half the side each. Their photographs are drawn one by
    /// one; faces that a seam cuts are ignored.
    double mosaic = 0;
    /// Share of the crops of photographs without faces that get letters, discs and balls drawn onto them.
    double clutter = 0;
};

/// Faces in a crop, in its pixels.
struct CropTruth {
    std::vector<Box> faces;  ///< upright boxes; those of turned faces hold their ellipses
    std::vector<Box> ignored;
    bool is_complete = true;
};

/// The photograph, and perhaps the place in it, that a crop is drawn for.
struct CropSubject {
    const FacePhotograph* photograph = nullptr;
    /// A place in it that is drawn as a face would be; null: one of its faces, or any place if it has none.
    const Box* place = nullptr;
};

/// Draws a crop of a face at a random size and place, or of a photograph without faces at a random scale; the
/// crop is turned, mirrored, and gets other light, blur and noise. An equal `random` gives an equal crop.
/// \param filler a photograph without faces that may be seen beyond the photograph's border; null: none.
/// \param pixels [row][column], receives (grey level − 128) / 64.
CropTruth draw_crop(const CropSubject& subject, const FacePhotograph* filler, const CropSettings& settings,
                    CounterRandom random, float* pixels);

/// The grey levels, rounded, of pixels as draw_crop() gives them.
std::vector<std::uint8_t> grey_levels(std::span<const float> pixels);

}  // namespace fovea
