#pragma once

#include <cmath>

#include "kernels/core/view.hpp"

// AdamW (I. Loshchilov, F. Hutter, 2019), host and device alike.
namespace fovea {

// D. Kingma, J. Ba, 2015.
constexpr double first_decay = 0.9, second_decay = 0.999, least_root = 1e-8;

/// The numbers of a step.
struct AdamStep {
    double rate = 0;
    double decay = 0;         ///< share by which weights shrink
    double max_gradient = 0;  ///< norm
    /// 1 − the powers of the decays, by which the momentum and the spread are divided.
    double first_correction = 1, second_correction = 1;
    double average = 0;  ///< share of the average that stays

    /// The factor of gradients, which limits their norm. \param square of the norm
    FOVEA_HOST_DEVICE double clip(double square) const {
        const double norm = std::sqrt(square);
        return norm > max_gradient ? max_gradient / norm : 1;
    }
};

/// A parameter with the numbers that the optimiser has of it.
struct AdamParameter {
    float *value, *momentum, *spread, *averaged;
};

/// \param gradient clipped.
FOVEA_HOST_DEVICE inline void take_adam_step(const AdamStep& step, double gradient, bool decays,
                                             const AdamParameter& parameter) {
    const double momentum =
        first_decay * static_cast<double>(*parameter.momentum) + (1 - first_decay) * gradient;
    const double spread =
        second_decay * static_cast<double>(*parameter.spread) + (1 - second_decay) * gradient * gradient;
    *parameter.momentum = static_cast<float>(momentum);
    *parameter.spread = static_cast<float>(spread);
    auto value = static_cast<double>(*parameter.value);
    if (decays) value -= step.decay * value;
    value -= step.rate * (momentum / step.first_correction) /
             (std::sqrt(spread / step.second_correction) + least_root);
    *parameter.value = static_cast<float>(value);
    *parameter.averaged = static_cast<float>(step.average * static_cast<double>(*parameter.averaged) +
                                             (1 - step.average) * value);
}

}  // namespace fovea
