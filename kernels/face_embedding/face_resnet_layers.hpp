#pragma once

#include <cstddef>
#include <vector>

#include "kernels/core/line_vector.hpp"
#include "kernels/face_embedding/face_resnet_weights.hpp"

// The parts of a FaceResnet on the CPU. Maps are [face][row][column][channel], in single precision.
namespace fovea {

/// Outputs that lie side by side in packed weights.
inline constexpr std::size_t face_resnet_panel = 16;

/// Maps of some faces with borders of zeros, which a convolution reads.
struct FaceMapView {
    float* values = nullptr;  ///< [face][outer][outer][channels]
    std::size_t side = 0;     ///< rows and columns of a map
    std::size_t outer = 0;    ///< the same with the border: one before, one or more behind
    std::size_t channels = 0;

    float* at(std::size_t face, std::size_t row, std::size_t column) const {
        return values + ((face * outer + row + 1) * outer + column + 1) * channels;
    }
    FaceMapView from_face(std::size_t face) const {
        return {values + face * outer * outer * channels, side, outer, channels};
    }
};

/// Memory of maps. Borders are zeros as long as only maps are written.
class FaceMaps {
  public:
    /// \param tile of the convolution that reads the maps.
    FaceMaps(std::size_t faces, std::size_t side, std::size_t tile, std::size_t channels)
        : side_(side), outer_((side + tile - 1) / tile * tile + 2), channels_(channels) {
        values_.resize(faces * outer_ * outer_ * channels);
    }

    FaceMapView view() { return {values_.data(), side_, outer_, channels_}; }

  private:
    std::size_t side_, outer_, channels_;
    LineVector<float> values_;
};

/// Weights of a matrix product, in panels of outputs: [outputs / 16][inputs][16].
struct FaceResnetPanels {
    std::size_t inputs = 0, outputs = 0;
    LineVector<float> values;
};

/// \param outputs a multiple of 16. \param weight gives the weight of (output, input).
template <class Weight>
FaceResnetPanels pack_panels(std::size_t inputs, std::size_t outputs, const Weight& weight) {
    FaceResnetPanels panels{inputs, outputs, {}};
    panels.values.reserve(inputs * outputs);
    for (std::size_t first = 0; first < outputs; first += face_resnet_panel) {
        for (std::size_t input = 0; input < inputs; ++input) {
            for (std::size_t i = 0; i < face_resnet_panel; ++i)
                panels.values.push_back(weight(first + i, input));
        }
    }
    return panels;
}

/// A convolution of 3×3 with stride 1 by Winograd's minimal filtering (Lavin and Gray 2016, section 4.1): it
/// turns (tile + 2)² values into tile² results by as many products as it reads values, instead of 9
/// products for each result.
struct WinogradLayer {
    std::size_t tile = 0;  ///< 2 or 4
    std::size_t inputs = 0, outputs = 0;
    std::vector<FaceResnetPanels> panels;  ///< for each of the (tile + 2)² positions, row by row
    LineVector<float> bias;

    std::size_t positions() const { return (tile + 2) * (tile + 2); }
};
WinogradLayer make_winograd_layer(const FaceResnetConvolution& convolution, std::size_t tile);

/// A convolution of 3×3 with stride 2 and without border.
struct StridedLayer {
    FaceResnetPanels panels;  ///< inputs are [row][column][channel] of the neighbourhood
    LineVector<float> bias;
};
StridedLayer make_strided_layer(const FaceResnetConvolution& convolution);

/// The means of 2×2 values; channels that `from` does not have become 0. \param to half as large, rounded
/// down; has as many channels as `from`, or more.
void pool_means(const FaceMapView& from, std::size_t faces, const FaceMapView& to);

/// Copies the neighbourhoods of results [first, first + count) of a StridedLayer: [count][3][3][channels].
/// Results are numbered by face, row and column. \param side rows and columns of the results of a face.
void gather_patches(const FaceMapView& from, std::size_t side, std::size_t first, std::size_t count,
                    float* patches);

}  // namespace fovea
