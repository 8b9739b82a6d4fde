#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "kernels/core/view.hpp"

namespace fovea {

/// A convolution of whole numbers. Shapes of `weights`, the last index fastest:
/// - stem: [channel][row][column], 3×3 on grey levels from which 128 is subtracted;
/// - pointwise: [output][input];
/// - depthwise: [channel][row][column], 3×3.
struct FaceNetLayer {
    std::vector<std::int8_t> weights;
    std::vector<std::int32_t> bias;  ///< one for each output
    /// One for each output, face_net_min_scale...face_net_max_scale: the result is the sum times the scale.
    std::vector<float> scale;

    friend bool operator==(const FaceNetLayer&, const FaceNetLayer&) = default;
};

/// A 1×1 convolution that mixes the channels (result: signed bytes), then a 3×3 convolution of each channel
/// (result: unsigned bytes, which makes it a ReLU). Howard et al. 2017, MobileNets, in the order of YuNet (Wu
/// et al. 2023, section 3.1).
struct FaceNetUnit {
    FaceNetLayer pointwise;
    FaceNetLayer depthwise;

    friend bool operator==(const FaceNetUnit&, const FaceNetUnit&) = default;
};

/// The sum of two maps of bytes: clamp(rint(fine · fine_scale + coarse · coarse_scale), 0, 255).
struct FaceNetSum {
    /// For the map of the same level; in the range of a layer's scales.
    float fine_scale = 0;
    /// For the next coarser level's map, each value of which is repeated 2×2; in the same range.
    float coarse_scale = 0;

    friend bool operator==(const FaceNetSum&, const FaceNetSum&) = default;
};

/// The number of levels of cells; their strides are 8, 16 and 32 pixels.
constexpr int face_net_levels = 3;
FOVEA_HOST_DEVICE constexpr int face_net_stride(int level) {
    return 8 << level;
}
/// Width and height of images are padded to multiples of this, at the right and at the bottom.
constexpr int face_net_multiple = 32;
/// The grey level of the padding; it counts as zero.
constexpr int face_net_grey = 128;
/// The numbers of a cell: logit, dx, dy, log width, log height.
constexpr int face_net_outputs = 5;
constexpr int face_net_max_channels = 128;
/// Sums, with the bias, must stay below this in magnitude, so that they are exact as float.
constexpr std::int64_t face_net_sum_limit = std::int64_t{1} << 24;
/// The range of scales: a product with a sum is neither subnormal nor beyond 32 bits.
constexpr float face_net_min_scale = 0x1p-60F;
constexpr float face_net_max_scale = 64.0F;

/// A small single-shot network of 8-bit integers that finds faces (after YuNet, Wu et al. 2023, and feature
/// pyramids, Lin et al. 2017). Maps are [row][column][channel].
///
/// - backbone: the stem (3×3, stride 2, unsigned bytes), unit 0, maximum of 2×2, units 1 and 2 (stride 4),
///   maximum of 2×2, units 3 and 4 (A, stride 8), maximum of 2×2, units 5 and 6 (B, stride 16), maximum of
///   2×2, units 7 and 8 (D, stride 32).
/// - neck: D' = neck[2](D), B' = neck[1](sums[1](B, D')), A' = neck[0](sums[0](A, B')).
/// - heads[level] on A', B' and D': a unit, then a second unit whose five depthwise results are not rounded:
///   they are float(sum) · scale.
///
/// A result is rounded as clamp(rint(float(sum) · scale)): one multiplication of floats, ties to even. Maps
/// are continued by zeros. tests/support/plain_face_net.hpp defines all of it in the simplest way.
struct FaceNet {
    static constexpr int backbone_units = 9;

    // Channels of the maps of stride 2, of stride 4, and of all others: multiples of 16. `channels` is at
    // most face_net_max_channels, and no other number is larger.
    int stem_channels = 16, quarter_channels = 64, channels = 64;
    FaceNetLayer stem;
    std::array<FaceNetUnit, backbone_units> backbone;
    std::array<FaceNetUnit, face_net_levels> neck;
    std::array<FaceNetSum, face_net_levels - 1> sums;
    std::array<std::array<FaceNetUnit, 2>, face_net_levels> heads;

    /// The channels that a unit of the backbone makes; unit -1 is the stem.
    int backbone_outputs(int unit) const {
        return unit < 1 ? stem_channels : unit < 3 ? quarter_channels : channels;
    }
    int backbone_inputs(int unit) const { return backbone_outputs(unit - 1); }

    friend bool operator==(const FaceNet&, const FaceNet&) = default;
};

enum class FaceNetLayerKind : std::uint8_t { stem, pointwise, depthwise };

/// The place of a layer in a model, and its shape.
struct FaceNetLayerPlace {
    std::string pointer;  ///< as a JSON pointer: "/backbone/3/pointwise"
    FaceNetLayerKind kind = FaceNetLayerKind::stem;
    int inputs = 1;   ///< channels; 1 for the stem, as many as outputs for a depthwise layer
    int outputs = 1;  ///< channels

    /// The number of weights of one output.
    int taps() const { return kind == FaceNetLayerKind::pointwise ? inputs : 9; }
};

/// Calls visit(const FaceNetLayerPlace&, FaceNetLayer&) for every layer, in the order of FaceNet.
/// \param net FaceNet or const FaceNet; places follow from its numbers of channels alone.
template <class Net, class Visit>
void visit_face_net_layers(Net& net, const Visit& visit) {
    const int channels = net.channels;
    visit(FaceNetLayerPlace{"/stem", FaceNetLayerKind::stem, 1, net.stem_channels}, net.stem);
    const auto visit_unit = [&](const std::string& pointer, int inputs, int outputs, auto& unit) {
        visit(FaceNetLayerPlace{pointer + "/pointwise", FaceNetLayerKind::pointwise, inputs, outputs},
              unit.pointwise);
        visit(FaceNetLayerPlace{pointer + "/depthwise", FaceNetLayerKind::depthwise, outputs, outputs},
              unit.depthwise);
    };
    for (int i = 0; i < FaceNet::backbone_units; ++i) {
        visit_unit("/backbone/" + std::to_string(i), net.backbone_inputs(i), net.backbone_outputs(i),
                   net.backbone[static_cast<std::size_t>(i)]);
    }
    for (std::size_t level = 0; level < net.neck.size(); ++level) {
        visit_unit("/neck/" + std::to_string(level), channels, channels, net.neck[level]);
    }
    for (std::size_t level = 0; level < net.heads.size(); ++level) {
        const std::string pointer = "/heads/" + std::to_string(level);
        visit_unit(pointer + "/0", channels, channels, net.heads[level][0]);
        visit_unit(pointer + "/1", channels, face_net_outputs, net.heads[level][1]);
    }
}

/// The largest magnitude that the sum of an output can have, its bias included, for any input.
std::int64_t largest_sum(FaceNetLayerKind kind, const FaceNetLayer& layer, std::size_t output);

/// The place where a network breaks a rule, and the rule.
struct FaceNetFault {
    std::string pointer;  ///< as a JSON pointer
    std::string rule;     ///< e.g. "must be 16 numbers, but are 3"
};

/// Finds the first fault of a network: in channels, shapes or scales, or sums that could reach
/// face_net_sum_limit for some image. Empty if the network can be run.
std::optional<FaceNetFault> find_fault(const FaceNet& net);

/// The numbers that a head gives for one cell.
struct NetCell {
    int level = 0;   ///< 0...face_net_levels - 1
    int row = 0;     ///< cells, of face_net_stride(level) pixels each
    int column = 0;  ///< cells
    float logit = 0;
    float dx = 0;  ///< from the cell's centre to the box's centre, in strides
    float dy = 0;
    float log_width = 0;  ///< logarithm of the box's width in units of 2 strides
    float log_height = 0;

    friend bool operator==(const NetCell&, const NetCell&) = default;
};

/// The order of the cells of an image: by level, row and column.
inline bool is_before(const NetCell& a, const NetCell& b) {
    return std::tuple(a.level, a.row, a.column) < std::tuple(b.level, b.row, b.column);
}

/// The columns and rows of cells of a level of an image, padding included.
constexpr Size face_net_cells(Size image, int level) {
    const auto cells = [&](int pixels) {
        return (pixels + face_net_multiple - 1) / face_net_multiple * (face_net_multiple >> (3 + level));
    };
    return {cells(image.width), cells(image.height)};
}

/// The sizes in which a network sees an image: its own, then a quarter of the last size, as long as the last
/// size has a side of 256 pixels or more (a face may be too large for the network) and none below 4. A
/// quarter is the image halved twice: sizes are rounded down, and pixels are octave_pixel() of four.
std::vector<Size> face_net_sizes(Size image);

}  // namespace fovea
