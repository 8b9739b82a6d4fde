#include "tests/support/plain_face_net.hpp"

#include <algorithm>

#include "kernels/face_net/face_net_body.hpp"

namespace fovea {
namespace {

std::int32_t pointwise_sum(const FaceNetLayer& layer, const ByteMap& map, int y, int x, int output) {
    std::int32_t sum = layer.bias[static_cast<std::size_t>(output)];
    for (int i = 0; i < map.channels; ++i) {
        sum += map.at(y, x, i) * layer.weights[static_cast<std::size_t>(output * map.channels + i)];
    }
    return sum;
}

std::int32_t depthwise_sum(const FaceNetLayer& layer, const SignedMap& map, int y, int x, int channel) {
    std::int32_t sum = layer.bias[static_cast<std::size_t>(channel)];
    for (int dy = 0; dy < 3; ++dy) {
        for (int dx = 0; dx < 3; ++dx) {
            sum += map.inside(y + dy - 1, x + dx - 1, channel) *
                   layer.weights[static_cast<std::size_t>(9 * channel + 3 * dy + dx)];
        }
    }
    return sum;
}

// Calls visit(y, x, channel) for every value of a map.
template <class T, class Visit>
void visit_values(const NetMap<T>& map, const Visit& visit) {
    for (int y = 0; y < map.size.height; ++y) {
        for (int x = 0; x < map.size.width; ++x) {
            for (int channel = 0; channel < map.channels; ++channel) visit(y, x, channel);
        }
    }
}

void add_cells(const NetMap<float>& outputs, int level, float min_logit, std::vector<NetCell>& cells) {
    for (int y = 0; y < outputs.size.height; ++y) {
        for (int x = 0; x < outputs.size.width; ++x) {
            if (!(outputs.at(y, x, 0) >= min_logit)) continue;
            cells.push_back({level, y, x, outputs.at(y, x, 0), outputs.at(y, x, 1), outputs.at(y, x, 2),
                             outputs.at(y, x, 3), outputs.at(y, x, 4)});
        }
    }
}

}  // namespace

ByteMap plain_stem(const FaceNetLayer& stem, ImageView<const std::uint8_t> image) {
    const Size quarter = face_net_cells({image.width, image.height}, 0);
    ByteMap map({4 * quarter.width, 4 * quarter.height}, static_cast<int>(stem.bias.size()));
    const auto pixel = [&](int x, int y) {
        const bool is_inside = x >= 0 && y >= 0 && x < image.width && y < image.height;
        return is_inside ? int{image(x, y)} : face_net_grey;
    };
    visit_values(map, [&](int y, int x, int channel) {
        const auto output = static_cast<std::size_t>(channel);
        std::int32_t sum = stem.bias[output];
        for (int dy = 0; dy < 3; ++dy) {
            for (int dx = 0; dx < 3; ++dx) {
                sum += stem.weights[9 * output + static_cast<std::size_t>(3 * dy + dx)] *
                       (pixel(2 * x - 1 + dx, 2 * y - 1 + dy) - face_net_grey);
            }
        }
        map.at(y, x, channel) = relu_result(sum, stem.scale[output]);
    });
    return map;
}

SignedMap plain_pointwise(const FaceNetLayer& layer, const ByteMap& map) {
    SignedMap result(map.size, static_cast<int>(layer.bias.size()));
    visit_values(result, [&](int y, int x, int channel) {
        result.at(y, x, channel) = signed_result(pointwise_sum(layer, map, y, x, channel),
                                                 layer.scale[static_cast<std::size_t>(channel)]);
    });
    return result;
}

ByteMap plain_depthwise(const FaceNetLayer& layer, const SignedMap& map) {
    ByteMap result(map.size, map.channels);
    visit_values(result, [&](int y, int x, int channel) {
        result.at(y, x, channel) = relu_result(depthwise_sum(layer, map, y, x, channel),
                                               layer.scale[static_cast<std::size_t>(channel)]);
    });
    return result;
}

ByteMap plain_unit(const FaceNetUnit& unit, const ByteMap& map) {
    return plain_depthwise(unit.depthwise, plain_pointwise(unit.pointwise, map));
}

ByteMap plain_pool(const ByteMap& map) {
    ByteMap result({map.size.width / 2, map.size.height / 2}, map.channels);
    visit_values(result, [&](int y, int x, int channel) {
        result.at(y, x, channel) =
            std::max({map.at(2 * y, 2 * x, channel), map.at(2 * y, 2 * x + 1, channel),
                      map.at(2 * y + 1, 2 * x, channel), map.at(2 * y + 1, 2 * x + 1, channel)});
    });
    return result;
}

ByteMap plain_sum(const FaceNetSum& sum, const ByteMap& fine, const ByteMap& coarse) {
    ByteMap result(fine.size, fine.channels);
    visit_values(result, [&](int y, int x, int channel) {
        result.at(y, x, channel) = sum_result(fine.at(y, x, channel), sum.fine_scale,
                                              coarse.at(y / 2, x / 2, channel), sum.coarse_scale);
    });
    return result;
}

NetMap<float> plain_outputs(const FaceNetLayer& layer, const SignedMap& map) {
    NetMap<float> result(map.size, map.channels);
    visit_values(result, [&](int y, int x, int channel) {
        result.at(y, x, channel) = static_cast<float>(depthwise_sum(layer, map, y, x, channel)) *
                                   layer.scale[static_cast<std::size_t>(channel)];
    });
    return result;
}

std::vector<NetCell> run_plain_face_net(const FaceNet& net, ImageView<const std::uint8_t> image,
                                        float min_logit) {
    const auto& units = net.backbone;
    ByteMap map = plain_pool(plain_unit(units[0], plain_stem(net.stem, image)));
    map = plain_pool(plain_unit(units[2], plain_unit(units[1], map)));
    const ByteMap a = plain_unit(units[4], plain_unit(units[3], map));
    const ByteMap b = plain_unit(units[6], plain_unit(units[5], plain_pool(a)));
    const ByteMap d = plain_unit(units[8], plain_unit(units[7], plain_pool(b)));
    std::array<ByteMap, face_net_levels> necks;
    necks[2] = plain_unit(net.neck[2], d);
    necks[1] = plain_unit(net.neck[1], plain_sum(net.sums[1], b, necks[2]));
    necks[0] = plain_unit(net.neck[0], plain_sum(net.sums[0], a, necks[1]));
    std::vector<NetCell> cells;
    for (std::size_t level = 0; level < necks.size(); ++level) {
        const auto& [first, last] = net.heads[level];
        const SignedMap mixed = plain_pointwise(last.pointwise, plain_unit(first, necks[level]));
        add_cells(plain_outputs(last.depthwise, mixed), static_cast<int>(level), min_logit, cells);
    }
    return cells;
}

}  // namespace fovea
