#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "kernels/net_training/float_layers.hpp"
#include "kernels/net_training/net_plan.hpp"

namespace fovea {

/// Images of one size, one behind the other.
struct FloatBatch {
    std::size_t images = 0;
    FloatShape shape;
    std::vector<float> values;

    FloatBatch() = default;
    FloatBatch(std::size_t image_count, FloatShape image_shape)
        : images(image_count), shape(image_shape), values(image_count * image_shape.size()) {}

    float* of(std::size_t image) { return values.data() + image * shape.size(); }
    const float* of(std::size_t image) const { return values.data() + image * shape.size(); }
};

/// Memory of gradients that is reused from step to step: the system takes as long to give it as a
/// convolution takes.
class GradientMemory {
  public:
    /// Values are left as they are.
    FloatBatch take(std::size_t images, FloatShape shape);
    void give(FloatBatch&& batch) { spare_.push_back(std::move(batch.values)); }

  private:
    std::vector<std::vector<float>> spare_;
};

/// Grey levels of an input of 1: it is (level − 128) / grey_unit.
inline constexpr double grey_unit = 64;

/// The weights, biases and factors that a network begins with.
std::vector<float> first_parameters(const NetPlan& plan, std::uint64_t seed);
/// The statistics that a network begins with: means 0, variances 1.
std::vector<float> first_statistics(const NetPlan& plan);

/// The network on the CPU, with its gradient. Batches are worked on by all threads; the results do not depend
/// on their number.
class FloatNet {
  public:
    /// \throws std::invalid_argument without images.
    FloatNet(const NetPlan& plan, std::size_t images, std::uint64_t seed);

    const NetPlan& plan() const { return plan_; }
    /// All weights, biases and factors, to be changed by an optimiser.
    std::vector<float>& parameters() { return parameters_; }
    const std::vector<float>& parameters() const { return parameters_; }
    /// Means and variances by channel, which the network has where it is not trained.
    std::vector<float>& statistics() { return statistics_; }

    /// The grey levels of the batch as (level − 128) / grey_unit, [image][row][column].
    FloatBatch& input() { return input_; }
    /// Runs the network. \param is_training true: it normalises by the batch and updates the statistics;
    /// false: it normalises by the statistics.
    void forward(bool is_training);
    /// The result of the last forward() at a head, [image][row][column][head_channels].
    const FloatBatch& output(std::size_t head) const { return layers_[plan_.heads[head]].result; }

    /// The gradient of a loss by the parameters, after forward(true).
    /// \param by_outputs [head] the gradient by the outputs. \return [parameter]; valid until the next call.
    const std::vector<float>& backward(const std::array<FloatBatch, 3>& by_outputs);

    /// A layer with the values of the last batch.
    struct Layer : NetLayer {
        FloatBatch between, sums, result;  // behind the first convolution, the second, and all
        // Values of each channel: y = max(0, factor · x + offset).
        std::vector<float> factors, offsets;
        std::vector<double> means, inverse_deviations;
    };
    const std::vector<Layer>& layers() const { return layers_; }
    /// The layers of a kind in their order.
    std::vector<const Layer*> layers_of(NetLayer::Kind kind) const;

  private:
    void find_scale(Layer& layer, bool is_training);
    /// Normalises and rectifies the sums.
    void normalise(Layer& layer, bool is_training);
    void run_unit(Layer& unit, bool is_training);
    void run(Layer& layer, bool is_training);

    /// `gradient` by the result becomes that by the sums of the layer.
    void normalise_back(const Layer& layer, FloatBatch& gradient);
    /// Each gives the gradients by what the layer reads to their layers, and `gradient`, that by the layer's
    /// result, back to the memory.
    void unit_back(const Layer& unit, FloatBatch gradient);
    void pool_back(const Layer& layer, FloatBatch gradient);
    void join_back(const Layer& layer, FloatBatch gradient);
    void stem_back(const Layer& stem, FloatBatch gradient);
    /// Adds a gradient by the result of a layer.
    void add_gradient(std::size_t layer, FloatBatch gradient);

    float* image_gradient(std::size_t image) { return image_gradients_.data() + image * parameters_.size(); }
    const float* parameter(const ParameterRange& range) const { return parameters_.data() + range.first; }

    const NetPlan plan_;
    const std::size_t images_;
    std::vector<float> parameters_, statistics_;
    FloatBatch input_;
    std::vector<Layer> layers_;
    std::vector<FloatBatch> gradients_by_results_;  // [layer]; empty where there is none yet
    std::vector<float> image_gradients_;            // [image][parameter]
    std::vector<float> gradients_;
    GradientMemory memory_;
};

}  // namespace fovea
