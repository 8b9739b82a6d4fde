#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/optical_flow/good_features.hpp"
#include "tests/support/images.hpp"
#include "tests/support/parity_images.hpp"

namespace fovea::test {

/// Below the texture of three rows all pixels are equal. The sums of OpenCV's box filter are not 0 there.
inline GreyImage image_with_residue() {
    GreyImage image{3, 8, {89, 107, 191, 33, 139, 9, 149, 131, 161}};
    image.pixels.resize(24, 50);
    return image;
}

/// Small ones: edge sizes, equal corners, flat areas, steep edges.
inline std::vector<NamedImage> small_corner_images() {
    std::vector<NamedImage> images;
    for (const Size size : {Size{1, 1}, Size{2, 2}, Size{3, 3}, Size{1, 9}, Size{2, 7}, Size{30, 1},
                            Size{7, 5}, Size{33, 9}, Size{31, 66}, Size{65, 33}}) {
        images.push_back({"noise", noise(size.width, size.height, 5)});
    }
    GreyImage steps = noise(90, 70, 3);
    for (std::uint8_t& pixel : steps.pixels) pixel = pixel < 128 ? 0 : 255;
    images.push_back({"black and white", steps});
    images.push_back({"grey", {40, 30, std::vector<std::uint8_t>(1200, 9)}});
    images.push_back({"residue", image_with_residue()});
    GreyImage squares{97, 83, {}};
    for (int y = 0; y < squares.height; ++y) {
        for (int x = 0; x < squares.width; ++x) {
            squares.pixels.push_back((x / 8 + y / 8) % 2 == 0 ? std::uint8_t{30} : std::uint8_t{220});
        }
    }
    images.push_back({"squares", squares});
    GreyImage half_flat = noise(101, 200, 8);
    std::fill(half_flat.pixels.begin() + 101 * 60, half_flat.pixels.end(), std::uint8_t{90});
    images.push_back({"noise above a flat area", half_flat});
    return images;
}

/// Those, photographs and noise of several textures.
inline std::vector<NamedImage> corner_images() {
    std::vector<NamedImage> images = parity_images();
    for (NamedImage& image : small_corner_images()) images.push_back(std::move(image));
    return images;
}

inline std::vector<GoodFeaturesOptions> corner_options() {
    return {{0, 0.01, 0},   {100, 0.001, 1}, {5, 0.1, 3},    {0, 0.3, 7.5}, {1000, 0.05, 2.4},
            {1, 1e-6, 0.7}, {3, 1e-9, 0},    {0, 1e-4, 500}, {0, 2, 1},     {7, 1, 1e9}};
}

/// A mask for an image: 0 in stripes; everywhere; everywhere but in one pixel.
inline std::vector<GreyImage> corner_masks(const GreyImage& image) {
    std::vector<GreyImage> masks(3,
                                 {image.width, image.height, std::vector<std::uint8_t>(image.pixels.size())});
    for (std::size_t i = 0; i < image.pixels.size(); ++i) masks[0].pixels[i] = i % 97 < 60 ? 1 : 0;
    masks[2].pixels[image.pixels.size() / 2] = 255;
    return masks;
}

}  // namespace fovea::test
