#pragma once

namespace fovea {

/// The quantile function of the standard normal distribution (the normal deviate of a probability), for 0 <
/// p < 1; absolute error below 5e-9. Source: P. J. Acklam's rational approximation, 2003, refined by one
/// Halley step.
double normal_deviate(double p);

}  // namespace fovea
