#include "tests/support/landmark_models.hpp"

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

}  // namespace fovea::test
