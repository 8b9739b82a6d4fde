#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace fovea {

constexpr std::size_t features_of_count = 8;

/// Makes a feature vector v for every count from 0 to `largest`, so that scalar products approximate
/// chi-square's terms: Σ_f v(a)_f v(b)_f ≈ 4ab / (a + b). v(0) = 0.
///
/// The matrix of 4ab / (a + b) is positive semidefinite (Vedaldi, Zisserman 2012, "Efficient additive kernels
/// via explicit feature maps") and nearly of low rank. The features are the columns of its pivoted incomplete
/// Cholesky factor. \param largest at least 1. \return [count].
std::vector<std::array<double, features_of_count>> chi_square_features(std::uint32_t largest);

}  // namespace fovea
