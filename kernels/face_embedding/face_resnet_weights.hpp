#pragma once

#include <array>
#include <cstddef>
#include <vector>

namespace fovea {

/// Rows and columns of the pictures of faces that the network describes.
inline constexpr std::size_t face_resnet_side = 150;
/// The numbers of a vector.
inline constexpr std::size_t face_resnet_length = 128;
/// This is subtracted from grey levels before the first convolution, so that sums stay small.
inline constexpr float face_resnet_grey = 128;

/// A residual block: two convolutions of 3×3, the first with this stride.
struct FaceResnetBlock {
    std::size_t inputs = 0, channels = 0, stride = 1;
    std::size_t side = 0;  ///< rows and columns of the input
};

/// The network is the one of dlib's example dnn_face_recognition_ex.cpp (D. King, dlib 19): a residual
/// network of 29 convolutions (He et al. 2016, section 3.3, with fewer layers and half the channels). Maps
/// are rectified (negative values become 0) after the stem, after a block's first convolution and
/// after a block.
///
/// - stem: 7×7, stride 2, no border: 32 channels of 72×72; then the maximum of 3×3, stride 2: 35×35.
/// - block of stride 1: both convolutions continue maps by zeros; the block's input is added to the result.
/// - block of stride 2: the first convolution has no border (35 → 17 → 8 → 3 → 1), the second continues maps
///   by zeros. The means of 2×2 of the block's input are added to the result (35 → 17 → 8 → 4 → 2); each of
///   both is continued by zeros, at the right, at the bottom and in further channels.
/// - the mean of the last 2×2 values of each channel; then the projection.
inline constexpr std::array<FaceResnetBlock, 14> face_resnet_blocks{{
    {32, 32, 1, 35},
    {32, 32, 1, 35},
    {32, 32, 1, 35},
    {32, 64, 2, 35},
    {64, 64, 1, 17},
    {64, 64, 1, 17},
    {64, 64, 1, 17},
    {64, 128, 2, 17},
    {128, 128, 1, 8},
    {128, 128, 1, 8},
    {128, 256, 2, 8},
    {256, 256, 1, 4},
    {256, 256, 1, 4},
    {256, 256, 2, 4},
}};
inline constexpr std::size_t face_resnet_stem_channels = 32;
inline constexpr std::size_t face_resnet_stem_taps = 7;
inline constexpr std::size_t face_resnet_last_channels = 256;

/// A convolution with its normalisation folded in.
struct FaceResnetConvolution {
    std::vector<float> weights;  ///< [output][input][row][column]
    std::vector<float> bias;     ///< [output]

    friend bool operator==(const FaceResnetConvolution&, const FaceResnetConvolution&) = default;
};

/// The weights in the order in which a picture meets them.
struct FaceResnetWeights {
    /// [32][1][7][7], on grey levels from which face_resnet_grey is subtracted.
    FaceResnetConvolution stem;
    /// [channels][inputs][3][3] and [channels][channels][3][3] for each block of face_resnet_blocks.
    std::array<std::array<FaceResnetConvolution, 2>, face_resnet_blocks.size()> blocks;
    std::vector<float> projection;  ///< [128][256]

    friend bool operator==(const FaceResnetWeights&, const FaceResnetWeights&) = default;
};

/// Checks that there are as many numbers as the shapes need, and that all are finite.
/// \throws std::invalid_argument, which names the first fault: "blocks[3][0].bias must be 64 numbers, but
/// ...".
void check_face_resnet(const FaceResnetWeights& weights);

}  // namespace fovea
