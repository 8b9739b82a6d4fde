#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include <catch2/catch.hpp>

#include "kernels/net_training/net_trainer.hpp"
#include "lib/train/counter_random.hpp"
#include "lib/train/face_net/float_net.hpp"

namespace fovea::test {

inline NetState first_state(const NetPlan& plan) {
    NetState state;
    state.parameters = state.averaged = first_parameters(plan, 3);
    // Batches have faces enough: the odds need not begin low.
    for (const std::size_t head : plan.heads) state.parameters[plan.layers[head].bias.first] = 0.5F;
    state.statistics = first_statistics(plan);
    state.momentum.assign(plan.parameters(), 0);
    state.spread.assign(plan.parameters(), 0);
    return state;
}

/// Fills a batch with noise, and with faces that some of the cells learn. \return the cells of faces
inline std::size_t fill_batch(const NetPlan& plan, std::size_t crops, std::uint64_t seed,
                              const NetBatch& batch) {
    CounterRandom random(seed);
    for (std::size_t p = 0; p < crops * plan.side * plan.side; ++p)
        batch.pixels[p] = static_cast<float>(4 * random.unit() - 2);
    std::size_t faces = 0;
    for (std::size_t cell = 0; cell < crops * plan.cells_of_crop(); ++cell) {
        CellTarget& target = batch.targets[cell];
        target = {};
        const double kind = random.unit(), side = static_cast<double>(plan.side);
        if (kind < 0.1) target.kind = CellTarget::Kind::ignored;
        if (kind > 0.7) {
            target = {CellTarget::Kind::face,
                      {side * random.unit() - 5, side * random.unit() - 5, 10 + 30 * random.unit(),
                       10 + 30 * random.unit()}};
            ++faces;
        }
        if (random.unit() < 0.5) {
            target.taught = static_cast<float>(random.unit());
            target.trust = static_cast<float>(random.unit());
        }
    }
    return faces;
}

inline AdamStep first_step() {
    AdamStep step;
    step.rate = 0.01;
    step.decay = 1e-3;
    step.max_gradient = 1e6;
    step.first_correction = 1 - first_decay;
    step.second_correction = 1 - second_decay;
    step.average = 0.25;
    return step;
}

/// The state of a network after steps from first_state(), and their losses.
struct TrainedNet {
    NetState state;
    NetLosses losses;
};

inline TrainedNet trained(NetTrainer& net, const NetPlan& plan, std::size_t crops, std::size_t steps,
                          double max_gradient = 1e6) {
    net.load(first_state(plan));
    for (std::size_t s = 0; s < steps; ++s) {
        const std::size_t faces = fill_batch(plan, crops, s, net.batch(s));
        AdamStep step = first_step();
        step.max_gradient = max_gradient;
        net.train(s, faces, step);
    }
    return {net.state(), net.take_losses()};
}

/// Checks that two lists differ by no more than a share of the norm of the first, over a range of both.
inline void check_range(const std::vector<float>& a, const std::vector<float>& b, const ParameterRange& range,
                        double share) {
    double norm = 0, difference = 0;
    for (std::size_t i = range.first; i < range.first + range.count; ++i) {
        norm += std::pow(static_cast<double>(a[i]), 2);
        difference += std::pow(static_cast<double>(a[i]) - static_cast<double>(b[i]), 2);
    }
    CHECK(std::sqrt(difference) <= share * std::sqrt(norm) + 1e-9);
}

/// Checks the first step of a trainer against the CPU's: the momentum is a tenth of the gradient then. Sums
/// in another order let some values near 0 be rectified on one side alone, which a small gradient shows: 0.16
/// % was seen on an H200.
inline void check_first_step(const NetPlan& plan, const TrainedNet& cpu, const TrainedNet& other) {
    CHECK(other.losses.odds == Approx(cpu.losses.odds).epsilon(1e-4));
    CHECK(other.losses.boxes == Approx(cpu.losses.boxes).epsilon(1e-4));
    for (std::size_t l = 0; l < plan.layers.size(); ++l) {
        const NetLayer& layer = plan.layers[l];
        CAPTURE(l);
        int part = 0;
        for (const ParameterRange& range :
             {layer.pointwise, layer.depthwise, layer.gamma, layer.beta, layer.bias}) {
            CAPTURE(part++);
            check_range(cpu.state.momentum, other.state.momentum, range, 5e-3);
            check_range(cpu.state.spread, other.state.spread, range, 1e-2);
        }
        check_range(cpu.state.statistics, other.state.statistics, {layer.statistics, 2 * layer.gamma.count},
                    1e-5);
    }
}

}  // namespace fovea::test
