#include "tests/support/face_resnets.hpp"

#include <algorithm>
#include <cmath>

#include "lib/core/splitmix.hpp"

namespace fovea::test {
namespace {

// [row][column][channel]
struct PlainMap {
    PlainMap(std::size_t map_side, std::size_t map_channels)
        : side(map_side), channels(map_channels), values(map_side * map_side * map_channels) {}

    double& at(std::size_t row, std::size_t column, std::size_t channel) {
        return values[(row * side + column) * channels + channel];
    }
    double at(std::size_t row, std::size_t column, std::size_t channel) const {
        return values[(row * side + column) * channels + channel];
    }

    std::size_t side, channels;
    std::vector<double> values;
};

PlainMap plain_convolution(const PlainMap& map, const FaceResnetConvolution& convolution, std::size_t taps,
                           std::size_t stride, std::size_t border) {
    PlainMap result((map.side + 2 * border - taps) / stride + 1, convolution.bias.size());
    // The taps of an output side by side, as the map has its channels.
    std::vector<double> weights(convolution.weights.size());
    for (std::size_t i = 0; i < weights.size(); ++i) {
        const std::size_t output = i / (map.channels * taps * taps), rest = i % (map.channels * taps * taps);
        const std::size_t input = rest / (taps * taps), place = rest % (taps * taps);
        weights[(output * taps * taps + place) * map.channels + input] = convolution.weights[i];
    }
    for (std::size_t i = 0; i < result.values.size(); ++i) {
        const std::size_t output = i % result.channels, place = i / result.channels;
        const std::size_t row = place / result.side * stride, column = place % result.side * stride;
        double sum = convolution.bias[output];
        for (std::size_t tap = 0; tap < taps * taps; ++tap) {
            const std::size_t y = row + tap / taps, x = column + tap % taps;
            if (y < border || x < border || y >= map.side + border || x >= map.side + border) continue;
            const double* from = map.values.data() + ((y - border) * map.side + x - border) * map.channels;
            const double* weight = weights.data() + (output * taps * taps + tap) * map.channels;
            for (std::size_t input = 0; input < map.channels; ++input) sum += from[input] * weight[input];
        }
        result.values[i] = sum;
    }
    return result;
}

PlainMap plain_maxima(const PlainMap& map) {
    PlainMap result((map.side - 3) / 2 + 1, map.channels);
    for (std::size_t i = 0; i < result.values.size(); ++i) {
        const std::size_t channel = i % map.channels, place = i / map.channels;
        const std::size_t row = 2 * (place / result.side), column = 2 * (place % result.side);
        double most = map.at(row, column, channel);
        for (std::size_t t = 0; t < 9; ++t)
            most = std::max(most, map.at(row + t / 3, column + t % 3, channel));
        result.values[i] = most;
    }
    return result;
}

PlainMap plain_means(const PlainMap& map) {
    PlainMap result(map.side / 2, map.channels);
    for (std::size_t i = 0; i < result.values.size(); ++i) {
        const std::size_t channel = i % map.channels, place = i / map.channels;
        const std::size_t row = 2 * (place / result.side), column = 2 * (place % result.side);
        result.values[i] = (map.at(row, column, channel) + map.at(row, column + 1, channel) +
                            map.at(row + 1, column, channel) + map.at(row + 1, column + 1, channel)) /
                           4;
    }
    return result;
}

// Maps of different sizes are continued by zeros.
PlainMap plain_sum(const PlainMap& a, const PlainMap& b) {
    PlainMap result(std::max(a.side, b.side), std::max(a.channels, b.channels));
    for (const PlainMap* const map : {&a, &b}) {
        for (std::size_t i = 0; i < map->values.size(); ++i) {
            const std::size_t place = i / map->channels;
            result.at(place / map->side, place % map->side, i % map->channels) += map->values[i];
        }
    }
    return result;
}

PlainMap plain_rectified(PlainMap map) {
    for (double& value : map.values) value = std::max(value, 0.0);
    return map;
}

/// Numbers that depend on a seed and on their order.
class NumberStream {
  public:
    explicit NumberStream(std::uint64_t seed) : state_(mixed(seed)) {}

    /// A whole number of at least `least` and below `end`.
    int whole(int least, int end) {
        state_ = mixed(state_);
        return least + static_cast<int>((state_ >> 33) % static_cast<std::uint64_t>(end - least));
    }
    float uniform(double most) {
        state_ = mixed(state_);
        return static_cast<float>(most * (static_cast<double>(state_ >> 40) / 8388608.0 - 1));
    }

  private:
    std::uint64_t state_;
};

FaceResnetConvolution random_convolution(NumberStream& numbers, std::size_t outputs, std::size_t taps,
                                         double gain) {
    FaceResnetConvolution convolution;
    const double most = gain * std::sqrt(6.0 / static_cast<double>(taps));
    for (std::size_t i = 0; i < outputs * taps; ++i) convolution.weights.push_back(numbers.uniform(most));
    for (std::size_t i = 0; i < outputs; ++i) convolution.bias.push_back(numbers.uniform(0.2));
    return convolution;
}

}  // namespace

FaceResnetWeights random_face_resnet(std::uint64_t seed) {
    NumberStream numbers(seed);
    FaceResnetWeights weights;
    weights.stem = random_convolution(numbers, face_resnet_stem_channels,
                                      face_resnet_stem_taps * face_resnet_stem_taps, 1.0 / 64);
    for (std::size_t b = 0; b < face_resnet_blocks.size(); ++b) {
        const FaceResnetBlock& block = face_resnet_blocks[b];
        weights.blocks[b][0] = random_convolution(numbers, block.channels, 9 * block.inputs, 1);
        weights.blocks[b][1] = random_convolution(numbers, block.channels, 9 * block.channels, 0.5);
    }
    const std::size_t count = face_resnet_length * face_resnet_last_channels;
    for (std::size_t i = 0; i < count; ++i) weights.projection.push_back(numbers.uniform(0.05));
    return weights;
}

std::vector<double> plain_face_vector(const FaceResnetWeights& weights, const std::uint8_t* face) {
    PlainMap map(face_resnet_side, 1);
    for (std::size_t i = 0; i < map.values.size(); ++i) map.values[i] = face[i] - double{face_resnet_grey};
    map = plain_maxima(plain_rectified(plain_convolution(map, weights.stem, face_resnet_stem_taps, 2, 0)));
    for (std::size_t b = 0; b < face_resnet_blocks.size(); ++b) {
        const std::size_t stride = face_resnet_blocks[b].stride;
        const PlainMap first =
            plain_rectified(plain_convolution(map, weights.blocks[b][0], 3, stride, stride == 1 ? 1 : 0));
        const PlainMap second = plain_convolution(first, weights.blocks[b][1], 3, 1, 1);
        map = plain_rectified(plain_sum(second, stride == 1 ? map : plain_means(map)));
    }
    std::vector<double> means(map.channels);
    for (std::size_t i = 0; i < map.values.size(); ++i)
        means[i % map.channels] += map.values[i] / static_cast<double>(map.side * map.side);
    std::vector<double> vector(face_resnet_length);
    for (std::size_t i = 0; i < weights.projection.size(); ++i)
        vector[i / map.channels] += weights.projection[i] * means[i % map.channels];
    return vector;
}

std::vector<std::uint8_t> drawn_face(std::uint64_t number) {
    NumberStream numbers(number);
    constexpr int side = static_cast<int>(face_resnet_side);
    std::vector<std::uint8_t> picture(face_resnet_side * face_resnet_side);
    const int ground = numbers.whole(30, 220), slope = numbers.whole(-2, 3);
    for (int y = 0; y < side; ++y) {
        for (int x = 0; x < side; ++x) {
            picture[static_cast<std::size_t>(y * side + x)] =
                static_cast<std::uint8_t>(std::clamp(ground + slope * (x - 75) / 4 + (y - 75) / 8, 0, 255));
        }
    }
    // Ellipses, darker towards one side.
    const int light = numbers.whole(-3, 4);
    const auto draw = [&](int centre_x, int centre_y, int radius_x, int radius_y, int grey) {
        for (int y = std::max(0, centre_y - radius_y); y <= std::min(side - 1, centre_y + radius_y); ++y) {
            for (int x = std::max(0, centre_x - radius_x); x <= std::min(side - 1, centre_x + radius_x);
                 ++x) {
                const int u = (x - centre_x) * radius_y, v = (y - centre_y) * radius_x;
                if (u * u + v * v > radius_x * radius_x * radius_y * radius_y) continue;
                picture[static_cast<std::size_t>(y * side + x)] =
                    static_cast<std::uint8_t>(std::clamp(grey + light * (x - 75) / 4, 0, 255));
            }
        }
    };
    const int skin = numbers.whole(90, 210), hair = numbers.whole(10, 160);
    const int head_x = numbers.whole(46, 58), head_y = numbers.whole(60, 74);
    draw(75, 68, head_x + 6, head_y + 4, hair);
    draw(75, 82, head_x, head_y, skin);
    const int apart = numbers.whole(20, 28), eye_y = numbers.whole(62, 72);
    const int eye = numbers.whole(8, 13), iris = numbers.whole(3, 6), brow = numbers.whole(9, 16);
    for (const int sign : {-1, 1}) {
        draw(75 + sign * apart, eye_y, eye, eye * 2 / 3, std::min(255, skin + 50));
        draw(75 + sign * apart, eye_y, iris, iris, 25);
        draw(75 + sign * apart, eye_y - brow, eye + 3, 2, hair);
    }
    const int nose = numbers.whole(90, 100);
    draw(75, nose, numbers.whole(6, 12), 5, skin - 25);
    draw(74, nose - 10, 3, 14, std::min(255, skin + 15));
    const int mouth = numbers.whole(114, 124);
    draw(75, mouth, numbers.whole(14, 25), numbers.whole(3, 8), skin - 60);
    draw(75, mouth, numbers.whole(8, 13), 1, 40);
    for (std::uint8_t& pixel : picture)
        pixel = static_cast<std::uint8_t>(std::clamp(pixel + numbers.whole(-6, 7), 0, 255));
    return picture;
}

}  // namespace fovea::test
