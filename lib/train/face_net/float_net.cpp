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

constexpr double least_variance = 1e-5;
/// Share of a batch in the statistics.
constexpr float momentum = 0.05F;
/// The first bias of the odds: faces are rare.
constexpr float first_logit = -4;

// Places of the units in the network.
enum : std::size_t {
    behind_stem,
    quarter,
    eighth = 3,
    sixteenth = 5,
    thirty_second = 7,
    neck_coarse = 9,
    neck_middle,
    neck_fine,
    heads
};

std::vector<float> transposed(const float* matrix, std::size_t rows, std::size_t columns) {
    std::vector<float> result(rows * columns);
    for (std::size_t r = 0; r < rows; ++r) {
        for (std::size_t c = 0; c < columns; ++c) result[c * rows + r] = matrix[r * columns + c];
    }
    return result;
}

void add(const FloatBatch& from, FloatBatch& to) {
    tbb::parallel_for(std::size_t{0}, to.images, [&](std::size_t i) {
        const float* source = from.of(i);
        float* target = to.of(i);
        for (std::size_t v = 0; v < to.shape.size(); ++v) target[v] += source[v];
    });
}

void pool(const FloatBatch& x, FloatBatch& y) {
    tbb::parallel_for(std::size_t{0}, x.images, [&](std::size_t i) { max_pool(x.of(i), x.shape, y.of(i)); });
}

void join(const FloatBatch& fine, const FloatBatch& coarse, FloatBatch& joined) {
    tbb::parallel_for(std::size_t{0}, fine.images, [&](std::size_t i) {
        add_repeated(fine.of(i), coarse.of(i), fine.shape, joined.of(i));
    });
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

FloatNet::FloatNet(NetWidth width, std::size_t images, std::size_t side, std::uint64_t seed)
    : width_(width), images_(images) {
    for (const std::size_t channels : {width.stem, width.quarter, width.trunk}) {
        if (channels == 0 || channels % 16 != 0)
            throw std::invalid_argument("a network's channels come in sixteens");
    }
    if (images == 0 || side == 0 || side % 32 != 0)
        throw std::invalid_argument("images of a network have sides that are multiples of 32");
    input_ = FloatBatch(images, {side, side, 1});
    stem_.weights = add_parameters(9 * width.stem, true);
    add_normalisation(width.stem, stem_.normalisation);
    stem_.sums = stem_.result = FloatBatch(images, {side / 2, side / 2, width.stem});
    const std::size_t c = width.trunk;
    add_unit(width.stem, width.stem, side / 2, false);
    for (std::size_t p = 0, in = width.stem; p < pooled_.size(); ++p) {
        const std::size_t scale = std::size_t{4} << p, out = p == 0 ? width.quarter : c;
        pooled_[p] = FloatBatch(images, {side / scale, side / scale, in});
        add_unit(in, out, side / scale, false);
        add_unit(out, out, side / scale, false);
        in = out;
    }
    for (const std::size_t scale : {32, 16, 8}) add_unit(c, c, side / scale, false);
    for (const std::size_t stride : head_strides) {
        add_unit(c, c, side / stride, false);
        add_unit(c, head_channels, side / stride, true);
    }
    joined_middle_ = FloatBatch(images, {side / 16, side / 16, c});
    joined_fine_ = FloatBatch(images, {side / 8, side / 8, c});
    image_gradients_.resize(images * parameters_.size());
    gradients_.resize(parameters_.size());
    draw_weights(seed);
}

ParameterRange FloatNet::add_parameters(std::size_t count, bool decays) {
    const ParameterRange range{parameters_.size(), count};
    parameters_.resize(range.first + count);
    decays_.resize(parameters_.size(), decays ? 1 : 0);
    return range;
}

void FloatNet::add_normalisation(std::size_t channels, Normalisation& normalisation) {
    normalisation.gamma = add_parameters(channels, false);
    normalisation.beta = add_parameters(channels, false);
    std::fill_n(parameters_.begin() + static_cast<std::ptrdiff_t>(normalisation.gamma.first), channels, 1.0F);
    normalisation.statistics = statistics_.size();
    statistics_.resize(statistics_.size() + channels, 0.0F);  // means
    statistics_.resize(statistics_.size() + channels, 1.0F);  // variances
}

void FloatNet::add_unit(std::size_t in, std::size_t out, std::size_t side, bool is_last) {
    Unit unit;
    unit.in = in;
    unit.out = out;
    unit.is_last = is_last;
    unit.pointwise = add_parameters(in * out, true);
    unit.depthwise = add_parameters(9 * out, true);
    if (is_last)
        unit.bias = add_parameters(out, false);
    else
        add_normalisation(out, unit.normalisation);
    unit.between = unit.sums = FloatBatch(images_, {side, side, out});
    if (!is_last) unit.result = unit.sums;
    units_.push_back(std::move(unit));
}

void FloatNet::draw_weights(std::uint64_t seed) {
    CounterRandom random(seed);
    // Uniform with the variance 1 / inputs (Y. LeCun et al., 1998); normalisation makes the scale right.
    const auto draw = [&](const ParameterRange& range, std::size_t inputs) {
        const double size = std::sqrt(3.0 / static_cast<double>(inputs));
        for (std::size_t i = 0; i < range.count; ++i)
            parameters_[range.first + i] = static_cast<float>((2 * random.unit() - 1) * size);
    };
    draw(stem_.weights, 9);
    for (Unit& unit : units_) {
        draw(unit.pointwise, unit.in);
        draw(unit.depthwise, 9);
        if (!unit.is_last) continue;
        // Channels that nobody reads are, and stay, 0.
        for (std::size_t i = 0; i < unit.pointwise.count; ++i) {
            if (i % unit.out >= head_numbers) parameters_[unit.pointwise.first + i] = 0;
        }
        for (std::size_t i = 0; i < unit.depthwise.count; ++i) {
            if (i % unit.out >= head_numbers) parameters_[unit.depthwise.first + i] = 0;
        }
        parameters_[unit.bias.first] = first_logit;
    }
}

// --- forwards ---

void FloatNet::find_scale(const FloatBatch& sums, bool is_training, Normalisation& normalisation) {
    const std::size_t channels = sums.shape.channels;
    float* means = statistics_.data() + normalisation.statistics;
    float* variances = means + channels;
    normalisation.means.assign(means, means + channels);
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
            normalisation.means[c] = mean;
            spread[c] = variance;
            means[c] += momentum * (static_cast<float>(mean) - means[c]);
            variances[c] += momentum * (static_cast<float>(variance) - variances[c]);
        }
    }
    normalisation.inverse_deviations.resize(channels);
    normalisation.factors.resize(channels);
    normalisation.offsets.resize(channels);
    for (std::size_t c = 0; c < channels; ++c) {
        const double inverse = 1 / std::sqrt(spread[c] + least_variance);
        const double factor = static_cast<double>(parameter(normalisation.gamma)[c]) * inverse;
        normalisation.inverse_deviations[c] = inverse;
        normalisation.factors[c] = static_cast<float>(factor);
        normalisation.offsets[c] = static_cast<float>(static_cast<double>(parameter(normalisation.beta)[c]) -
                                                      factor * normalisation.means[c]);
    }
}

void FloatNet::run(Unit& unit, const FloatBatch& x, bool is_training) {
    tbb::parallel_for(std::size_t{0}, images_, [&](std::size_t i) {
        multiply(x.of(i), x.shape.pixels(), unit.in, parameter(unit.pointwise), unit.out, unit.between.of(i));
        depthwise(unit.between.of(i), unit.between.shape, parameter(unit.depthwise), false, unit.sums.of(i));
        if (!unit.is_last) return;
        const float* bias = parameter(unit.bias);
        float* sums = unit.sums.of(i);
        for (std::size_t v = 0; v < unit.sums.shape.size(); ++v) sums[v] += bias[v % unit.out];
    });
    if (unit.is_last) return;
    find_scale(unit.sums, is_training, unit.normalisation);
    tbb::parallel_for(std::size_t{0}, images_, [&](std::size_t i) {
        scale_and_rectify(unit.sums.of(i), unit.sums.shape.pixels(), unit.out,
                          unit.normalisation.factors.data(), unit.normalisation.offsets.data(),
                          unit.result.of(i));
    });
}

void FloatNet::forward(bool is_training) {
    const std::size_t side = input_.shape.height;
    tbb::parallel_for(std::size_t{0}, images_, [&](std::size_t i) {
        stem(input_.of(i), side, side, parameter(stem_.weights), width_.stem, stem_.sums.of(i));
    });
    find_scale(stem_.sums, is_training, stem_.normalisation);
    tbb::parallel_for(std::size_t{0}, images_, [&](std::size_t i) {
        scale_and_rectify(stem_.sums.of(i), stem_.sums.shape.pixels(), width_.stem,
                          stem_.normalisation.factors.data(), stem_.normalisation.offsets.data(),
                          stem_.result.of(i));
    });
    run(units_[behind_stem], stem_.result, is_training);
    for (std::size_t p = 0; p < pooled_.size(); ++p) {
        const std::size_t first = quarter + 2 * p;
        pool(units_[first - 1].result, pooled_[p]);
        run(units_[first], pooled_[p], is_training);
        run(units_[first + 1], units_[first].result, is_training);
    }
    run(units_[neck_coarse], units_[thirty_second + 1].result, is_training);
    join(units_[sixteenth + 1].result, units_[neck_coarse].result, joined_middle_);
    run(units_[neck_middle], joined_middle_, is_training);
    join(units_[eighth + 1].result, units_[neck_middle].result, joined_fine_);
    run(units_[neck_fine], joined_fine_, is_training);
    for (std::size_t h = 0; h < head_strides.size(); ++h) {
        run(units_[heads + 2 * h], units_[neck_fine - h].result, is_training);
        run(units_[last_unit(h)], units_[heads + 2 * h].result, is_training);
    }
}

// --- backwards ---

void FloatNet::normalise_back(const FloatBatch& sums, const Normalisation& normalisation,
                              FloatBatch& gradient) {
    const std::size_t channels = sums.shape.channels, pixels = sums.shape.pixels();
    std::vector<double> totals(images_ * channels), products(images_ * channels);
    tbb::parallel_for(std::size_t{0}, images_, [&](std::size_t i) {
        rectify_gradient(sums.of(i), pixels, channels, normalisation.factors.data(),
                         normalisation.offsets.data(), gradient.of(i), totals.data() + i * channels,
                         products.data() + i * channels);
    });
    const std::vector<double> total = added_up(totals, images_), product = added_up(products, images_);
    const auto count = static_cast<double>(images_ * pixels);
    std::vector<float> a(channels), b(channels), c(channels);
    float* first = image_gradient(0);
    for (std::size_t k = 0; k < channels; ++k) {
        const double inverse = normalisation.inverse_deviations[k], mean = normalisation.means[k];
        const double by_gamma = inverse * (product[k] - mean * total[k]);
        const double factor = inverse * static_cast<double>(parameter(normalisation.gamma)[k]);
        first[normalisation.gamma.first + k] = static_cast<float>(by_gamma);
        first[normalisation.beta.first + k] = static_cast<float>(total[k]);
        a[k] = static_cast<float>(factor);
        b[k] = static_cast<float>(-factor * inverse * by_gamma / count);
        c[k] = static_cast<float>(factor * (inverse * mean * by_gamma - total[k]) / count);
    }
    tbb::parallel_for(std::size_t{0}, images_, [&](std::size_t i) {
        mix_gradient(sums.of(i), pixels, channels, a.data(), b.data(), c.data(), gradient.of(i));
    });
}

FloatBatch FloatNet::back(Unit& unit, const FloatBatch& x, FloatBatch gradient) {
    if (!unit.is_last) normalise_back(unit.sums, unit.normalisation, gradient);
    const std::vector<float> weights = transposed(parameter(unit.pointwise), unit.in, unit.out);
    FloatBatch by_x = memory_.take(images_, x.shape), by_between = memory_.take(images_, gradient.shape);
    tbb::parallel_for(std::size_t{0}, images_, [&](std::size_t i) {
        float* gradients = image_gradient(i);
        if (unit.is_last) {
            const float* here = gradient.of(i);
            for (std::size_t v = 0; v < gradient.shape.size(); ++v)
                gradients[unit.bias.first + v % unit.out] += here[v];
        }
        add_depthwise_gradient(unit.between.of(i), gradient.of(i), gradient.shape,
                               gradients + unit.depthwise.first);
        depthwise(gradient.of(i), gradient.shape, parameter(unit.depthwise), true, by_between.of(i));
        add_product_of_transposed(x.of(i), by_between.of(i), x.shape.pixels(), unit.in, unit.out,
                                  gradients + unit.pointwise.first);
        multiply(by_between.of(i), x.shape.pixels(), unit.out, weights.data(), unit.in, by_x.of(i));
    });
    memory_.give(std::move(gradient));
    memory_.give(std::move(by_between));
    return by_x;
}

FloatBatch FloatNet::pool_back(const FloatBatch& x, FloatBatch by_y) {
    FloatBatch by_x = memory_.take(images_, x.shape);
    tbb::parallel_for(std::size_t{0}, images_,
                      [&](std::size_t i) { max_pool_gradient(x.of(i), x.shape, by_y.of(i), by_x.of(i)); });
    memory_.give(std::move(by_y));
    return by_x;
}

void FloatNet::join_back(const FloatBatch& by_joined, FloatBatch& by_coarse) {
    tbb::parallel_for(std::size_t{0}, images_, [&](std::size_t i) {
        add_sums_of_four(by_joined.of(i), by_joined.shape, by_coarse.of(i));
    });
}

const std::vector<float>& FloatNet::backward(const std::array<FloatBatch, 3>& by_outputs) {
    std::fill(image_gradients_.begin(), image_gradients_.end(), 0.0F);
    std::array<FloatBatch, 3> by_necks;  // fine to coarse
    for (std::size_t h = 0; h < by_outputs.size(); ++h) {
        const std::size_t first = heads + 2 * h;
        FloatBatch by_output = memory_.take(images_, by_outputs[h].shape);
        by_output.values = by_outputs[h].values;
        by_necks[h] = back(units_[first], units_[neck_fine - h].result,
                           back(units_[first + 1], units_[first].result, std::move(by_output)));
    }
    // Results of the trunk at 1/8, 1/16 and 1/32 go into the necks, and the two finer ones down the trunk,
    // too.
    FloatBatch by_fine = back(units_[neck_fine], joined_fine_, std::move(by_necks[0]));
    join_back(by_fine, by_necks[1]);
    FloatBatch by_middle = back(units_[neck_middle], joined_middle_, std::move(by_necks[1]));
    join_back(by_middle, by_necks[2]);
    FloatBatch by_result =
        back(units_[neck_coarse], units_[thirty_second + 1].result, std::move(by_necks[2]));
    for (std::size_t p = pooled_.size(); p-- > 0;) {
        const std::size_t first = quarter + 2 * p;
        if (first == sixteenth) add(by_middle, by_result);
        if (first == eighth) add(by_fine, by_result);
        FloatBatch by_first = back(units_[first + 1], units_[first].result, std::move(by_result));
        by_result = pool_back(units_[first - 1].result, back(units_[first], pooled_[p], std::move(by_first)));
    }
    memory_.give(std::move(by_fine));
    memory_.give(std::move(by_middle));
    FloatBatch by_stem = back(units_[behind_stem], stem_.result, std::move(by_result));
    normalise_back(stem_.sums, stem_.normalisation, by_stem);
    const std::size_t side = input_.shape.height;
    tbb::parallel_for(std::size_t{0}, images_, [&](std::size_t i) {
        add_stem_gradient(input_.of(i), side, side, by_stem.of(i), width_.stem,
                          image_gradient(i) + stem_.weights.first);
    });
    memory_.give(std::move(by_stem));
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
