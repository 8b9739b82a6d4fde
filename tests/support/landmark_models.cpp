#include "tests/support/landmark_models.hpp"

#include <cmath>
#include <random>

namespace fovea::test {
namespace {

class Draw {
  public:
    explicit Draw(std::uint32_t seed) : generator_(seed) {}

    std::uint32_t below(std::size_t limit) { return generator_() % static_cast<std::uint32_t>(limit); }
    // Multiples of 2^-16 in [-1, 1).
    float signed_unit() { return (static_cast<float>(below(1 << 17)) - 65536.0F) / 65536.0F; }

  private:
    std::mt19937 generator_;
};

}  // namespace

LandmarkModel random_landmark_model(const LandmarkModelShape& shape, std::uint32_t seed) {
    Draw draw(seed);
    LandmarkModel model;
    model.points = shape.points;
    model.depth = shape.depth;
    model.subpixels = shape.subpixels;
    const std::size_t coordinates = 2 * static_cast<std::size_t>(shape.points);
    for (std::size_t i = 0; i < coordinates; ++i) {
        model.initial_shape.push_back(0.5F + 0.4F * draw.signed_unit());
    }
    for (std::size_t c = 0; c < shape.cascades; ++c) {
        LandmarkCascade& cascade = model.cascades.emplace_back();
        cascade.trees = shape.trees;
        for (std::size_t i = 0; i < shape.pixels; ++i) {
            cascade.pixels.push_back({0.2F * draw.signed_unit(), 0.2F * draw.signed_unit(),
                                      draw.below(static_cast<std::size_t>(shape.points))});
        }
        for (std::size_t i = 0; i < shape.trees * model.splits_of_tree(); ++i) {
            cascade.splits.push_back({static_cast<std::uint16_t>(draw.below(shape.pixels)),
                                      static_cast<std::uint16_t>(draw.below(shape.pixels)),
                                      static_cast<std::int16_t>(static_cast<int>(draw.below(81)) - 40)});
        }
        const float reach = 0.1F / static_cast<float>(shape.trees);
        cascade.leaf_unit = reach / 127;
        for (std::size_t i = 0; i < shape.trees * model.leaves_of_tree() * model.leaf_stride(); ++i) {
            const bool used = i % model.leaf_stride() < coordinates;
            const float value = draw.signed_unit();
            if (shape.quantised) {
                cascade.quantised_leaves.push_back(used ? static_cast<std::int8_t>(127 * value)
                                                        : std::int8_t{0});
            } else {
                cascade.leaves.push_back(used ? reach * value : 0);
            }
        }
    }
    return model;
}

LandmarkModel still_landmark_model(int points) {
    LandmarkModel model;
    model.points = points;
    const int row = (points + 1) / 2;
    for (int i = 0; i < points; ++i) {
        model.initial_shape.push_back(static_cast<float>(i % row) / static_cast<float>(row - 1));
        model.initial_shape.push_back(i < row ? 0.25f : 0.75f);
    }
    return model;
}

std::string still_landmark_file(int points) {
    std::string bytes;
    const auto integer = [&](std::int64_t value) {
        std::string digits;
        for (std::uint64_t left = static_cast<std::uint64_t>(std::abs(value)); left > 0; left >>= 8) {
            digits += static_cast<char>(left & 0xFF);
        }
        if (digits.empty()) digits += '\0';
        bytes += static_cast<char>(digits.size() | (value < 0 ? 0x80 : 0));
        bytes += digits;
    };
    const LandmarkModel model = still_landmark_model(points);
    integer(1);  // version
    integer(-static_cast<std::int64_t>(model.initial_shape.size()));
    integer(-1);
    for (const float value : model.initial_shape) {
        int exponent = 0;
        const float mantissa = std::frexp(value, &exponent);
        integer(static_cast<std::int64_t>(std::ldexp(mantissa, 24)));
        integer(exponent - 24);
    }
    for (int i = 0; i < 3; ++i) integer(0);  // no trees, no pixels, no offsets
    return bytes;
}

}  // namespace fovea::test
