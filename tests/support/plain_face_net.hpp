#pragma once

#include <cstdint>
#include <vector>

#include "kernels/face_net/face_net.hpp"

// A face network operation by operation, one value after the other: what every fast version must equal in
// every bit.

namespace fovea {

/// Values of a map, [row][column][channel].
template <class T>
struct NetMap {
    Size size;
    int channels = 0;
    std::vector<T> values;

    NetMap() = default;
    NetMap(Size map_size, int map_channels)
        : size(map_size),
          channels(map_channels),
          values(static_cast<std::size_t>(map_size.width) * static_cast<std::size_t>(map_size.height) *
                 static_cast<std::size_t>(map_channels)) {}

    T& at(int y, int x, int channel) { return values[index(y, x, channel)]; }
    const T& at(int y, int x, int channel) const { return values[index(y, x, channel)]; }
    /// The value, or 0 beyond the border.
    T inside(int y, int x, int channel) const {
        const bool is_inside = y >= 0 && x >= 0 && y < size.height && x < size.width;
        return is_inside ? at(y, x, channel) : T{0};
    }

    friend bool operator==(const NetMap&, const NetMap&) = default;

  private:
    std::size_t index(int y, int x, int channel) const {
        const auto pixel =
            static_cast<std::size_t>(y) * static_cast<std::size_t>(size.width) + static_cast<std::size_t>(x);
        return pixel * static_cast<std::size_t>(channels) + static_cast<std::size_t>(channel);
    }
};

using ByteMap = NetMap<std::uint8_t>;
using SignedMap = NetMap<std::int8_t>;

// Layers and nets must have no fault (find_fault); maps must have the channels that the layer reads.

/// \param image not empty. \return half of the continued image's size, a channel for each bias.
ByteMap plain_stem(const FaceNetLayer& stem, ImageView<const std::uint8_t> image);
SignedMap plain_pointwise(const FaceNetLayer& layer, const ByteMap& map);
ByteMap plain_depthwise(const FaceNetLayer& layer, const SignedMap& map);
ByteMap plain_unit(const FaceNetUnit& unit, const ByteMap& map);
/// The largest of 2×2 values. \param map of an even size.
ByteMap plain_pool(const ByteMap& map);
/// \param fine of twice the size of `coarse`.
ByteMap plain_sum(const FaceNetSum& sum, const ByteMap& fine, const ByteMap& coarse);
/// The depthwise layer that ends a head: float(sum) · scale.
NetMap<float> plain_outputs(const FaceNetLayer& layer, const SignedMap& map);

/// run_face_net() in plain steps.
std::vector<NetCell> run_plain_face_net(const FaceNet& net, ImageView<const std::uint8_t> image,
                                        float min_logit);

}  // namespace fovea
