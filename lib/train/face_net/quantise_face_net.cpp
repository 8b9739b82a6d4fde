#include "lib/train/face_net/quantise_face_net.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <tbb/parallel_for.h>

#include "lib/core/error.hpp"

namespace fovea {
namespace {

constexpr double max_signed = 127, max_unsigned = 255;
/// The largest values of a map are cut off: so many of all.
constexpr double cut_share = 1e-5;
/// A scale that a requantisation has at most: smaller values of a channel are not told apart.
constexpr double max_requantisation = 8;
/// A bias takes no more of the range of a sum than this.
constexpr double max_bias = 0x1p22;
/// Crops that the scales of 8-bit maps are chosen by.
constexpr std::size_t scale_crops = 64;

/// The value that a share `cut_share` of all is above, in magnitude. \param stride, first pick a channel
double largest(const FloatBatch& map, std::size_t first, std::size_t stride) {
    std::vector<float> values;
    values.reserve(map.values.size() / stride);
    for (std::size_t v = first; v < map.values.size(); v += stride) values.push_back(std::abs(map.values[v]));
    const auto above = static_cast<std::size_t>(cut_share * static_cast<double>(values.size()));
    const auto at = values.begin() + static_cast<std::ptrdiff_t>(values.size() - 1 - above);
    std::nth_element(values.begin(), at, values.end());
    return static_cast<double>(*at);
}

/// The unit of a map of bytes from 0 on.
double unit_of(const FloatBatch& map) {
    return std::max(largest(map, 0, 1), 1e-6) / max_unsigned;
}

std::int8_t rounded_weight(double weight) {
    return static_cast<std::int8_t>(std::clamp(std::nearbyint(weight), -max_signed, max_signed));
}

double largest_weight(const std::vector<double>& weights) {
    double largest = 0;
    for (const double weight : weights) largest = std::max(largest, std::abs(weight));
    return largest;
}

/// Adds the output of a layer. \param weights, bias in units of the layer's result
/// \param input unit of the layer's input \param output unit of its result
void add_output(const std::vector<double>& weights, double bias, double input, double output,
                FaceNetLayer& layer) {
    double unit = std::max(largest_weight(weights) / max_signed, 1e-12);
    unit = std::max(unit, std::abs(bias) / (max_bias * input));
    for (const double weight : weights) layer.weights.push_back(rounded_weight(weight / unit));
    layer.bias.push_back(static_cast<std::int32_t>(std::nearbyint(bias / (unit * input))));
    layer.scale.push_back(static_cast<float>(unit * input / output));
}

class Quantiser {
  public:
    explicit Quantiser(const FloatNet& net) : net_(net) {}

    FaceNet make() {
        const auto units = net_.layers_of(NetLayer::Kind::unit), joins = net_.layers_of(NetLayer::Kind::join);
        const NetWidth width = net_.plan().width;
        result_.stem_channels = static_cast<int>(width.stem);
        result_.quarter_channels = static_cast<int>(width.quarter);
        result_.channels = static_cast<int>(width.trunk);
        const double stem = add_stem();
        double input = stem;
        std::vector<double> trunk;
        for (std::size_t u = 0; u < result_.backbone.size(); ++u) {
            input = add_unit(*units[u], input, result_.backbone[u]);
            trunk.push_back(input);
        }
        // Coarse to fine, as the network's units are; fine to coarse in the model.
        constexpr std::size_t neck = FaceNet::backbone_units, heads = neck + 3;
        std::array<double, 3> necks{};
        necks[2] = add_unit(*units[neck], trunk[8], result_.neck[2]);
        const double middle = unit_of(joins[0]->result);
        result_.sums[1] = {static_cast<float>(trunk[6] / middle), static_cast<float>(necks[2] / middle)};
        necks[1] = add_unit(*units[neck + 1], middle, result_.neck[1]);
        const double fine = unit_of(joins[1]->result);
        result_.sums[0] = {static_cast<float>(trunk[4] / fine), static_cast<float>(necks[1] / fine)};
        necks[0] = add_unit(*units[neck + 2], fine, result_.neck[0]);
        for (std::size_t h = 0; h < 3; ++h) {
            const double between = add_unit(*units[heads + 2 * h], necks[h], result_.heads[h][0]);
            add_unit(*units[heads + 2 * h + 1], between, result_.heads[h][1]);
        }
        if (const std::optional<FaceNetFault> fault = find_fault(result_))
            throw Error("The trained network cannot be run with 8 bits: " + fault->pointer + " " +
                        fault->rule);
        return std::move(result_);
    }

  private:
    double parameter(const ParameterRange& range, std::size_t at) const {
        return static_cast<double>(net_.parameters()[range.first + at]);
    }

    double add_stem() {
        const FloatNet::Layer& stem = *net_.layers_of(NetLayer::Kind::stem)[0];
        const std::size_t channels = stem.shape.channels;
        const double output = unit_of(stem.result);
        for (std::size_t c = 0; c < channels; ++c) {
            const auto factor = static_cast<double>(stem.factors[c]);
            std::vector<double> weights(9);
            for (std::size_t t = 0; t < 9; ++t)
                weights[t] = factor * parameter(stem.depthwise, t * channels + c) / grey_unit;
            add_output(weights, static_cast<double>(stem.offsets[c]), 1, output, result_.stem);
        }
        return output;
    }

    /// \return the unit of the result
    double add_unit(const FloatNet::Layer& unit, double input, FaceNetUnit& to) {
        const double output = unit.is_last ? 1 : unit_of(unit.result);
        const std::size_t channels = unit.shape.channels, outputs = unit.is_last ? head_numbers : channels;
        for (std::size_t c = 0; c < outputs; ++c) {
            std::vector<double> weights(unit.in);
            for (std::size_t i = 0; i < unit.in; ++i)
                weights[i] = parameter(unit.pointwise, i * channels + c);
            const double finest = input * largest_weight(weights) / (max_signed * max_requantisation);
            const double between = std::max({largest(unit.between, c, channels) / max_signed, finest, 1e-9});
            add_output(weights, 0, input, between, to.pointwise);
            const double factor = unit.is_last ? 1 : static_cast<double>(unit.factors[c]);
            const double bias = unit.is_last ? parameter(unit.bias, c) : static_cast<double>(unit.offsets[c]);
            std::vector<double> taps(9);
            for (std::size_t t = 0; t < 9; ++t)
                taps[t] = factor * parameter(unit.depthwise, t * channels + c);
            add_output(taps, bias, between, output, to.depthwise);
        }
        return output;
    }

    const FloatNet& net_;
    FaceNet result_;
};

}  // namespace

FaceNet quantised(const FloatNet& net) {
    return Quantiser(net).make();
}

FaceNet quantised(const NetPlan& plan, const NetState& state, const std::vector<PhotographSource>& sources,
                  const CropSettings& crops, std::uint64_t seed) {
    FloatNet net(plan, scale_crops, seed);
    net.parameters() = state.parameters;
    net.statistics() = state.statistics;
    std::vector<const FacePhotograph*> photographs;
    for (const PhotographSource& source : sources) {
        for (const FacePhotograph& photograph : source.photographs) {
            if (!photograph.faces.empty()) photographs.push_back(&photograph);
        }
    }
    tbb::parallel_for(std::size_t{0}, scale_crops, [&](std::size_t i) {
        // Steps of the training are lower numbers.
        CounterRandom random(seed, ~std::uint64_t{0}, i);
        const FacePhotograph& photograph = *photographs[random.below(photographs.size())];
        draw_crop({&photograph}, nullptr, crops, random, net.input().of(i));
    });
    net.forward(false);
    return quantised(net);
}

}  // namespace fovea
