#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "lib/train/mct/patch.hpp"

namespace fovea {

/// How tables are fitted.
struct BoostSettings {
    /// Share of a class's weight that is added to every entry of a table, for both classes, before the
    /// logarithm: it draws the entries of rare codes towards 0.
    double smoothing = 5e-4;
    double weight_unit = 40;  ///< table entries a unit of the real AdaBoost response 1/2 ln(w-/w+)
    /// Factor on the fitted response (Friedman 2001): below 1, more look-ups share the work.
    double shrinkage = 1;
};

/// A look-up table that was fitted.
struct FittedTable {
    std::size_t place = 0;
    /// Σ sqrt(w+ w-) over the codes; the weights of each class sum to 1 (Schapire and Singer 1999).
    double loss = 1;
    std::array<std::int8_t, MctCascade::codes> weights{};
};

/// One class of patches with its sums and weights. Weights are logistic, 1 / (1 + exp(∓2 (sum + bias) /
/// unit)), so that a mislabelled patch weighs at most 1; AdaBoost's exponential weights would let it outweigh
/// all others.
class BoostingSamples {
  public:
    /// \param codes must outlive the object. \param faces true for faces, whose weight rises with their sums.
    BoostingSamples(const CodeMatrix& codes, bool faces, double weight_unit);

    void add(std::size_t place, const std::int8_t* weights);
    /// Rejects patches whose sum is above the threshold; they take no part any more. \return how many
    /// are left.
    std::size_t reject_above(std::int32_t threshold);
    /// Sets all sums to 0.
    void begin_stage();

    const CodeMatrix& codes() const { return *codes_; }
    std::span<const std::int32_t> sums() const { return sums_; }
    bool alive(std::size_t i) const { return alive_[i] != 0; }
    std::size_t alive_count() const { return alive_count_; }

    /// Weights for a bias, not normalised; 0 for patches that were rejected.
    std::vector<float> weights(double bias) const;
    double mean_weight(double bias) const;

  private:
    const CodeMatrix* codes_;
    double sign_;
    std::vector<std::int32_t> sums_;
    std::vector<std::uint8_t> alive_;
    std::size_t alive_count_;
};

/// Fits the table of the place with the least loss among those allowed (real AdaBoost over look-up tables:
/// Fröba and Ernst 2004, section 3; Wu et al. 2004): low entries for codes of faces. The bias between both
/// classes is set so that they weigh the same. Ties go to the first place. The result does not depend on the
/// number of threads.
FittedTable fit_table(const BoostingSamples& faces, const BoostingSamples& others,
                      std::span<const std::uint8_t> allowed, const BoostSettings& settings);

}  // namespace fovea
