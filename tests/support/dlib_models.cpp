#include "tests/support/dlib_models.hpp"

#include <cmath>
#include <random>

namespace fovea::test {
namespace {

class NumberList {
  public:
    void integer(std::int64_t value) { parts.push_back(dlib_integer(value)); }
    void real(float value) {
        const std::string both = dlib_real(value);
        const std::size_t first = 1 + static_cast<std::size_t>(both[0] & 0x0F);
        parts.push_back(both.substr(0, first));
        parts.push_back(both.substr(first));
    }
    void column(const std::vector<float>& values) {
        integer(-static_cast<std::int64_t>(values.size()));
        integer(-1);
        for (const float value : values) real(value);
    }
    template <class List>
    void count(const List& list) {
        integer(static_cast<std::int64_t>(list.size()));
    }

    std::vector<std::string> parts;
};

}  // namespace

std::string dlib_integer(std::int64_t value) {
    auto magnitude = static_cast<std::uint64_t>(value);
    if (value < 0) magnitude = 0 - magnitude;
    std::string bytes;
    do {
        bytes += static_cast<char>(magnitude & 0xFF);
        magnitude >>= 8;
    } while (magnitude != 0);
    return static_cast<char>(bytes.size() | (value < 0 ? 0x80 : 0)) + bytes;
}

std::string dlib_real(float value) {
    if (std::isnan(value)) return dlib_integer(0) + dlib_integer(32002);
    if (std::isinf(value)) return dlib_integer(0) + dlib_integer(value > 0 ? 32000 : 32001);
    int exponent = 0;
    auto mantissa = static_cast<std::int64_t>(std::ldexp(std::frexp(value, &exponent), 24));
    exponent -= 24;
    for (int i = 0; i < 8 && mantissa % 256 == 0; ++i) {
        mantissa /= 256;
        exponent += 8;
    }
    return dlib_integer(mantissa) + dlib_integer(exponent);
}

std::vector<std::string> dlib_numbers(const DlibModel& model) {
    NumberList numbers;
    numbers.integer(1);
    numbers.column(model.initial_shape);
    numbers.count(model.cascades);
    for (const DlibCascade& cascade : model.cascades) {
        numbers.count(cascade.trees);
        for (const DlibTree& tree : cascade.trees) {
            numbers.count(tree.splits);
            for (const DlibSplit& split : tree.splits) {
                numbers.integer(split.first);
                numbers.integer(split.second);
                numbers.real(split.threshold);
            }
            numbers.count(tree.leaves);
            for (const std::vector<float>& leaf : tree.leaves) numbers.column(leaf);
        }
    }
    numbers.count(model.cascades);
    for (const DlibCascade& cascade : model.cascades) {
        numbers.count(cascade.anchors);
        for (const std::int64_t anchor : cascade.anchors) numbers.integer(anchor);
    }
    numbers.count(model.cascades);
    for (const DlibCascade& cascade : model.cascades) {
        numbers.count(cascade.deltas);
        for (const auto& [x, y] : cascade.deltas) {
            numbers.real(x);
            numbers.real(y);
        }
    }
    return numbers.parts;
}

std::string joined(const std::vector<std::string>& parts) {
    std::string bytes;
    for (const std::string& part : parts) bytes += part;
    return bytes;
}

DlibModel random_dlib_model(const RandomModel& settings, std::uint32_t seed) {
    std::mt19937 random(seed);
    // The distributions of the standard library differ between implementations.
    const auto uniform = [&](double from, double to) {
        return static_cast<float>(from + (to - from) * (static_cast<double>(random()) / 4294967296.0));
    };
    const auto below = [&](int n) { return static_cast<std::int64_t>(random() % static_cast<unsigned>(n)); };
    DlibModel model;
    for (int i = 0; i < 2 * settings.points; ++i) model.initial_shape.push_back(uniform(0, 1));
    for (int c = 0; c < settings.cascades; ++c) {
        DlibCascade& cascade = model.cascades.emplace_back();
        for (int p = 0; p < settings.pixels; ++p) {
            cascade.anchors.push_back(below(settings.points));
            const float dx = uniform(-0.3, 0.3);
            cascade.deltas.emplace_back(dx, uniform(-0.3, 0.3));
        }
        for (int t = 0; t < settings.trees; ++t) {
            DlibTree& tree = cascade.trees.emplace_back();
            for (int s = 0; s + 1 < 1 << settings.depth; ++s) {
                DlibSplit split;
                split.first = below(settings.pixels);
                split.second = below(settings.pixels);
                split.threshold = uniform(-60, 60);
                // Some on whole numbers, where "more than" decides.
                if (s % 3 == 0) split.threshold = std::floor(split.threshold);
                tree.splits.push_back(split);
            }
            for (int l = 0; l < 1 << settings.depth; ++l) {
                std::vector<float>& leaf = tree.leaves.emplace_back();
                for (int i = 0; i < 2 * settings.points; ++i)
                    leaf.push_back(uniform(-settings.motion, settings.motion));
            }
        }
    }
    return model;
}

}  // namespace fovea::test
