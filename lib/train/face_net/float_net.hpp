#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "kernels/face_net/face_net.hpp"
#include "kernels/net_training/float_layers.hpp"

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

/// Channels of the network, multiples of 16: at half of the image's size, at a quarter, and behind.
struct NetWidth {
    std::size_t stem = 16, quarter = 64, trunk = 64;

    friend bool operator==(const NetWidth&, const NetWidth&) = default;
};

/// Numbers that a head has for a cell, in this order: the logarithm of the odds that a face's centre lies
/// there; the face's centre from the cell's, in strides; the logarithms of its width and height over twice
/// the stride.
inline constexpr std::size_t head_numbers = face_net_outputs;
/// Channels of a head in memory; those behind the five are 0.
inline constexpr std::size_t head_channels = 16;
/// Grey levels of an input of 1: it is (level − 128) / grey_unit.
inline constexpr double grey_unit = 64;
/// Pixels between the cells of each head.
inline constexpr std::array<std::size_t, face_net_levels> head_strides{face_net_stride(0), face_net_stride(1),
                                                                       face_net_stride(2)};

/// The place of a part's parameters among all parameters of the network.
struct ParameterRange {
    std::size_t first = 0, count = 0;
};

/// A stage of batch normalisation (S. Ioffe, C. Szegedy, 2015) and rectification.
struct Normalisation {
    ParameterRange gamma, beta;
    std::size_t statistics = 0;  ///< of its channels, among those of the network
    // Values of each channel for the last batch: y = max(0, factor · x + offset).
    std::vector<float> factors, offsets;
    std::vector<double> means, inverse_deviations;
};

/// The network that finds faces of all sizes in one pass, with its gradient: a trunk of pointwise and
/// depthwise convolutions (A. Howard et al., 2017), three scales that are joined from the coarse to the fine
/// (T.-Y. Lin et al., 2017), a head for each; kernels/face_net runs it with 8 bits. Batches are worked on by
/// all threads; the results do not depend on their number.
class FloatNet {
  public:
    /// \param side of the images, pixels; a multiple of 32. \param seed of the first weights.
    /// \throws std::invalid_argument for other sides and widths.
    FloatNet(NetWidth width, std::size_t images, std::size_t side, std::uint64_t seed);

    /// All weights, biases and factors, to be changed by an optimiser.
    std::vector<float>& parameters() { return parameters_; }
    const std::vector<float>& parameters() const { return parameters_; }
    /// Means and variances by channel, which the network has where it is not trained.
    std::vector<float>& statistics() { return statistics_; }
    /// Whether weight decay applies: to weights, but neither to biases nor to factors; [parameter].
    const std::vector<char>& decays() const { return decays_; }

    /// The grey levels of the batch as (level − 128) / grey_unit, [image][row][column].
    FloatBatch& input() { return input_; }
    /// Runs the network. \param is_training true: it normalises by the batch and updates the statistics;
    /// false: it normalises by the statistics.
    void forward(bool is_training);
    /// The result of the last forward() at a head, [image][row][column][head_channels].
    const FloatBatch& output(std::size_t head) const { return units_[last_unit(head)].sums; }

    /// The gradient of a loss by the parameters, after forward(true).
    /// \param by_outputs [head] the gradient by the outputs. \return [parameter]; valid until the next call.
    const std::vector<float>& backward(const std::array<FloatBatch, 3>& by_outputs);

    /// A convolution of 1×1 and one of 3×3 for each channel, then normalisation and rectification; the last
    /// unit of a head has a bias instead of these.
    struct Unit {
        std::size_t in = 0, out = 0;
        bool is_last = false;
        ParameterRange pointwise, depthwise, bias;
        Normalisation normalisation;
        FloatBatch between, sums, result;  // behind the first convolution, the second, and all
    };
    struct Stem {
        ParameterRange weights;
        Normalisation normalisation;
        FloatBatch sums, result;
    };
    NetWidth width() const { return width_; }
    const Stem& stem_layer() const { return stem_; }
    /// In the order in which the network runs them: one behind the stem; two at each of 1/4, 1/8, 1/16 and
    /// 1/32; the necks of 1/32, 1/16 and 1/8; two of each head.
    const std::vector<Unit>& units() const { return units_; }
    /// Results of the trunk at 1/16 and 1/8 with those of the coarser neck added.
    const FloatBatch& joined_middle() const { return joined_middle_; }
    const FloatBatch& joined_fine() const { return joined_fine_; }

  private:
    ParameterRange add_parameters(std::size_t count, bool decays);
    void add_normalisation(std::size_t channels, Normalisation& normalisation);
    void add_unit(std::size_t in, std::size_t out, std::size_t side, bool is_last);
    void draw_weights(std::uint64_t seed);

    void find_scale(const FloatBatch& sums, bool is_training, Normalisation& normalisation);
    void run(Unit& unit, const FloatBatch& x, bool is_training);
    /// `gradient` by the result becomes that by the sums of the layer.
    void normalise_back(const FloatBatch& sums, const Normalisation& normalisation, FloatBatch& gradient);
    /// \param gradient by the unit's result; its memory is given back. \return the gradient by x.
    FloatBatch back(Unit& unit, const FloatBatch& x, FloatBatch gradient);
    FloatBatch pool_back(const FloatBatch& x, FloatBatch by_y);
    /// Adds the part of the gradient of a join that is for the coarse image.
    void join_back(const FloatBatch& by_joined, FloatBatch& by_coarse);
    /// The number of the last unit of a head.
    static constexpr std::size_t last_unit(std::size_t head) { return 13 + 2 * head; }
    float* image_gradient(std::size_t image) { return image_gradients_.data() + image * parameters_.size(); }
    const float* parameter(const ParameterRange& range) const { return parameters_.data() + range.first; }

    const NetWidth width_;
    const std::size_t images_;
    std::vector<float> parameters_, statistics_;
    std::vector<char> decays_;
    FloatBatch input_;
    Stem stem_;
    std::vector<Unit> units_;
    std::array<FloatBatch, 4> pooled_;  // 1/4, 1/8, 1/16, 1/32
    FloatBatch joined_middle_, joined_fine_;
    std::vector<float> image_gradients_;  // [image][parameter]
    std::vector<float> gradients_;
    GradientMemory memory_;
};

}  // namespace fovea
