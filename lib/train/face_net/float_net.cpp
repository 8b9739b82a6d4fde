#include "lib/train/face_net/float_net.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <stdexcept>
#include <utility>

#include <tbb/parallel_for.h>

#include "lib/train/counter_random.hpp"

namespace fovea {
namespace {

/// The first bias of the odds: faces are rare.
constexpr float first_logit = -4;

std::vector<float> transposed(const float* matrix, std::size_t rows, std::size_t columns) {
    std::vector<float> result(rows * columns);
    for (std::size_t r = 0; r < rows; ++r) {
        for (std::size_t c = 0; c < columns; ++c) result[c * rows + r] = matrix[r * columns + c];
    }
    return result;
}

/// Sums by image, [image][channel], added up in the order of the images.
std::vector<double> added_up(const std::vector<double>& sums, std::size_t images) {
    std::vector<double> total(sums.size() / images);
    for (std::size_t i = 0; i < sums.size(); ++i) total[i % total.size()] += sums[i];
    return total;
}

}  // namespace

FloatBatch GradientMemory::take(std::size_t images, FloatShape shape) {
    FloatBatch batch;
    batch.images = images;
    batch.shape = shape;
    const std::size_t size = images * shape.size();
    // The last one of this size is the likeliest to be in the cache.
    const auto found = std::find_if(spare_.rbegin(), spare_.rend(),
                                    [&](const std::vector<float>& values) { return values.size() == size; });
    if (found == spare_.rend()) {
        batch.values.resize(size);
    } else {
        batch.values = std::move(*found);
        spare_.erase(std::next(found).base());
    }
    return batch;
}

std::vector<float> first_parameters(const NetPlan& plan, std::uint64_t seed) {
    std::vector<float> parameters(plan.parameters());
    CounterRandom random(seed);
    // Uniform with the variance 1 / inputs (Y. LeCun et al., 1998); normalisation makes the scale right.
    const auto draw = [&](const ParameterRange& range, std::size_t inputs) {
        const double size = std::sqrt(3.0 / static_cast<double>(inputs));
        for (std::size_t i = 0; i < range.count; ++i)
            parameters[range.first + i] = static_cast<float>((2 * random.unit() - 1) * size);
    };
    for (const NetLayer& layer : plan.layers) {
        draw(layer.pointwise, layer.in);
        draw(layer.depthwise, 9);
        std::fill_n(parameters.begin() + static_cast<std::ptrdiff_t>(layer.gamma.first), layer.gamma.count,
                    1.0F);
        if (!layer.is_last) continue;
        // Channels that nobody reads are, and stay, 0.
        for (const ParameterRange& range : {layer.pointwise, layer.depthwise}) {
            for (std::size_t i = 0; i < range.count; ++i) {
                if (i % head_channels >= head_numbers) parameters[range.first + i] = 0;
            }
        }
        parameters[layer.bias.first] = first_logit;
    }
    return parameters;
}

std::vector<float> first_statistics(const NetPlan& plan) {
    std::vector<float> statistics(plan.statistics);
    for (const NetLayer& layer : plan.layers)
        std::fill_n(statistics.begin() + static_cast<std::ptrdiff_t>(layer.statistics + layer.gamma.count),
                    layer.gamma.count, 1.0F);
    return statistics;
}

FloatNet::FloatNet(const NetPlan& plan, std::size_t images, std::uint64_t seed)
    : plan_(plan),
      images_(images),
      parameters_(first_parameters(plan, seed)),
      statistics_(first_statistics(plan)),
      input_(images, {plan.side, plan.side, 1}),
      gradients_by_results_(plan.layers.size()),
      image_gradients_(images * parameters_.size()),
      gradients_(parameters_.size()) {
    if (images == 0) throw std::invalid_argument("a network needs images");
    for (const NetLayer& planned : plan.layers) {
        Layer& layer = layers_.emplace_back();
        static_cast<NetLayer&>(layer) = planned;
        layer.result = FloatBatch(images, layer.shape);
        if (layer.normalises()) layer.sums = layer.result;
        if (layer.kind == NetLayer::Kind::unit) layer.between = layer.result;
    }
}

std::vector<const FloatNet::Layer*> FloatNet::layers_of(NetLayer::Kind kind) const {
    std::vector<const Layer*> found;
    for (const Layer& layer : layers_) {
        if (layer.kind == kind) found.push_back(&layer);
    }
    return found;
}

// --- forwards ---

void FloatNet::find_scale(Layer& layer, bool is_training) {
    const FloatBatch& sums = layer.sums;
    const std::size_t channels = sums.shape.channels;
    float* means = statistics_.data() + layer.statistics;
    float* variances = means + channels;
    layer.means.assign(means, means + channels);
    std::vector<double> spread(variances, variances + channels);
    if (is_training) {
        std::vector<double> totals(images_ * channels), squares(images_ * channels);
        tbb::parallel_for(std::size_t{0}, images_, [&](std::size_t i) {
            add_moments(sums.of(i), sums.shape.pixels(), channels, totals.data() + i * channels,
                        squares.data() + i * channels);
        });
        const std::vector<double> total = added_up(totals, images_), square = added_up(squares, images_);
        const auto count = static_cast<double>(images_ * sums.shape.pixels());
        for (std::size_t c = 0; c < channels; ++c) {
            const double mean = total[c] / count;
            const double variance = std::max(0.0, square[c] / count - mean * mean);
            layer.means[c] = mean;
            spread[c] = variance;
            means[c] += statistics_momentum * (static_cast<float>(mean) - means[c]);
            variances[c] += statistics_momentum * (static_cast<float>(variance) - variances[c]);
        }
    }
    layer.inverse_deviations.resize(channels);
    layer.factors.resize(channels);
    layer.offsets.resize(channels);
    for (std::size_t c = 0; c < channels; ++c) {
        const double inverse = 1 / std::sqrt(spread[c] + least_variance);
        const double factor = static_cast<double>(parameter(layer.gamma)[c]) * inverse;
        layer.inverse_deviations[c] = inverse;
        layer.factors[c] = static_cast<float>(factor);
        layer.offsets[c] =
            static_cast<float>(static_cast<double>(parameter(layer.beta)[c]) - factor * layer.means[c]);
    }
}

void FloatNet::normalise(Layer& layer, bool is_training) {
    find_scale(layer, is_training);
    tbb::parallel_for(std::size_t{0}, images_, [&](std::size_t i) {
        scale_and_rectify(layer.sums.of(i), layer.shape.pixels(), layer.shape.channels, layer.factors.data(),
                          layer.offsets.data(), layer.result.of(i));
    });
}

void FloatNet::run_unit(Layer& unit, bool is_training) {
    const FloatBatch& x = layers_[unit.input].result;
    const std::size_t out = unit.shape.channels;
    tbb::parallel_for(std::size_t{0}, images_, [&](std::size_t i) {
        float* sums = (unit.is_last ? unit.result : unit.sums).of(i);
        multiply(x.of(i), x.shape.pixels(), unit.in, parameter(unit.pointwise), out, unit.between.of(i));
        depthwise(unit.between.of(i), unit.shape, parameter(unit.depthwise), false, sums);
        if (!unit.is_last) return;
        const float* bias = parameter(unit.bias);
        for (std::size_t v = 0; v < unit.shape.size(); ++v) sums[v] += bias[v % out];
    });
    if (!unit.is_last) normalise(unit, is_training);
}

void FloatNet::run(Layer& layer, bool is_training) {
    const FloatBatch& x = layer.kind == NetLayer::Kind::stem ? input_ : layers_[layer.input].result;
    switch (layer.kind) {
        case NetLayer::Kind::stem:
            tbb::parallel_for(std::size_t{0}, images_, [&](std::size_t i) {
                stem(x.of(i), plan_.side, plan_.side, parameter(layer.depthwise), layer.shape.channels,
                     layer.sums.of(i));
            });
            return normalise(layer, is_training);
        case NetLayer::Kind::unit:
            return run_unit(layer, is_training);
        case NetLayer::Kind::pool:
            return tbb::parallel_for(std::size_t{0}, images_,
                                     [&](std::size_t i) { max_pool(x.of(i), x.shape, layer.result.of(i)); });
        case NetLayer::Kind::join:
            return tbb::parallel_for(std::size_t{0}, images_, [&](std::size_t i) {
                add_repeated(x.of(i), layers_[layer.coarse].result.of(i), layer.shape, layer.result.of(i));
            });
    }
}

void FloatNet::forward(bool is_training) {
    for (Layer& layer : layers_) run(layer, is_training);
}

// --- backwards ---

void FloatNet::normalise_back(const Layer& layer, FloatBatch& gradient) {
    const std::size_t channels = layer.shape.channels, pixels = layer.shape.pixels();
    std::vector<double> totals(images_ * channels), products(images_ * channels);
    tbb::parallel_for(std::size_t{0}, images_, [&](std::size_t i) {
        rectify_gradient(layer.sums.of(i), pixels, channels, layer.factors.data(), layer.offsets.data(),
                         gradient.of(i), totals.data() + i * channels, products.data() + i * channels);
    });
    const std::vector<double> total = added_up(totals, images_), product = added_up(products, images_);
    const auto count = static_cast<double>(images_ * pixels);
    std::vector<float> a(channels), b(channels), c(channels);
    float* first = image_gradient(0);
    for (std::size_t k = 0; k < channels; ++k) {
        const double inverse = layer.inverse_deviations[k], mean = layer.means[k];
        const double by_gamma = inverse * (product[k] - mean * total[k]);
        const double factor = inverse * static_cast<double>(parameter(layer.gamma)[k]);
        first[layer.gamma.first + k] = static_cast<float>(by_gamma);
        first[layer.beta.first + k] = static_cast<float>(total[k]);
        a[k] = static_cast<float>(factor);
        b[k] = static_cast<float>(-factor * inverse * by_gamma / count);
        c[k] = static_cast<float>(factor * (inverse * mean * by_gamma - total[k]) / count);
    }
    tbb::parallel_for(std::size_t{0}, images_, [&](std::size_t i) {
        mix_gradient(layer.sums.of(i), pixels, channels, a.data(), b.data(), c.data(), gradient.of(i));
    });
}

void FloatNet::add_gradient(std::size_t layer, FloatBatch gradient) {
    FloatBatch& sum = gradients_by_results_[layer];
    if (sum.values.empty()) {
        sum = std::move(gradient);
        return;
    }
    tbb::parallel_for(std::size_t{0}, images_, [&](std::size_t i) {
        const float* source = gradient.of(i);
        float* target = sum.of(i);
        for (std::size_t v = 0; v < sum.shape.size(); ++v) target[v] += source[v];
    });
    memory_.give(std::move(gradient));
}

void FloatNet::unit_back(const Layer& unit, FloatBatch gradient) {
    if (!unit.is_last) normalise_back(unit, gradient);
    const FloatBatch& x = layers_[unit.input].result;
    const std::size_t out = unit.shape.channels;
    const std::vector<float> weights = transposed(parameter(unit.pointwise), unit.in, out);
    FloatBatch by_x = memory_.take(images_, x.shape), by_between = memory_.take(images_, unit.shape);
    tbb::parallel_for(std::size_t{0}, images_, [&](std::size_t i) {
        float* gradients = image_gradient(i);
        if (unit.is_last) {
            const float* here = gradient.of(i);
            for (std::size_t v = 0; v < unit.shape.size(); ++v)
                gradients[unit.bias.first + v % out] += here[v];
        }
        add_depthwise_gradient(unit.between.of(i), gradient.of(i), unit.shape,
                               gradients + unit.depthwise.first);
        depthwise(gradient.of(i), unit.shape, parameter(unit.depthwise), true, by_between.of(i));
        add_product_of_transposed(x.of(i), by_between.of(i), x.shape.pixels(), unit.in, out,
                                  gradients + unit.pointwise.first);
        multiply(by_between.of(i), x.shape.pixels(), out, weights.data(), unit.in, by_x.of(i));
    });
    memory_.give(std::move(gradient));
    memory_.give(std::move(by_between));
    add_gradient(unit.input, std::move(by_x));
}

void FloatNet::pool_back(const Layer& layer, FloatBatch gradient) {
    const FloatBatch& x = layers_[layer.input].result;
    FloatBatch by_x = memory_.take(images_, x.shape);
    tbb::parallel_for(std::size_t{0}, images_, [&](std::size_t i) {
        max_pool_gradient(x.of(i), x.shape, gradient.of(i), by_x.of(i));
    });
    memory_.give(std::move(gradient));
    add_gradient(layer.input, std::move(by_x));
}

void FloatNet::join_back(const Layer& layer, FloatBatch gradient) {
    FloatBatch& by_coarse = gradients_by_results_[layer.coarse];
    if (by_coarse.values.empty()) {
        by_coarse = memory_.take(images_, layers_[layer.coarse].shape);
        std::fill(by_coarse.values.begin(), by_coarse.values.end(), 0.0F);
    }
    tbb::parallel_for(std::size_t{0}, images_,
                      [&](std::size_t i) { add_sums_of_four(gradient.of(i), layer.shape, by_coarse.of(i)); });
    add_gradient(layer.input, std::move(gradient));
}

void FloatNet::stem_back(const Layer& layer, FloatBatch gradient) {
    normalise_back(layer, gradient);
    tbb::parallel_for(std::size_t{0}, images_, [&](std::size_t i) {
        add_stem_gradient(input_.of(i), plan_.side, plan_.side, gradient.of(i), layer.shape.channels,
                          image_gradient(i) + layer.depthwise.first);
    });
    memory_.give(std::move(gradient));
}

const std::vector<float>& FloatNet::backward(const std::array<FloatBatch, 3>& by_outputs) {
    std::fill(image_gradients_.begin(), image_gradients_.end(), 0.0F);
    for (std::size_t h = 0; h < by_outputs.size(); ++h) {
        FloatBatch& by_output = gradients_by_results_[plan_.heads[h]];
        by_output = memory_.take(images_, by_outputs[h].shape);
        by_output.values = by_outputs[h].values;
    }
    for (std::size_t l = layers_.size(); l-- > 0;) {
        FloatBatch gradient = std::exchange(gradients_by_results_[l], {});
        switch (layers_[l].kind) {
            case NetLayer::Kind::stem:
                stem_back(layers_[l], std::move(gradient));
                break;
            case NetLayer::Kind::unit:
                unit_back(layers_[l], std::move(gradient));
                break;
            case NetLayer::Kind::pool:
                pool_back(layers_[l], std::move(gradient));
                break;
            case NetLayer::Kind::join:
                join_back(layers_[l], std::move(gradient));
                break;
        }
    }
    // In the order of the images, whatever the number of threads.
    constexpr std::size_t part = 1024;
    tbb::parallel_for(std::size_t{0}, (gradients_.size() + part - 1) / part, [&](std::size_t block) {
        const std::size_t end = std::min((block + 1) * part, gradients_.size());
        for (std::size_t p = block * part; p < end; ++p) {
            float sum = 0;
            for (std::size_t i = 0; i < images_; ++i) sum += image_gradients_[i * parameters_.size() + p];
            gradients_[p] = sum;
        }
    });
    return gradients_;
}

}  // namespace fovea
