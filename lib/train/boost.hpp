#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "lib/train/patch.hpp"

namespace fovea {

/// How tables are fitted.
struct BoostSettings {
    /// Share of the weight of a class that every entry of a table gets on both sides before the logarithm: what
    /// a code that was hardly seen says is drawn to 0.
    double smoothing = 5e-4;
    double weight_unit = 40;  ///< table entries a unit of the real AdaBoost response 1/2 ln(w-/w+)
    /// A step along the response that is fitted (Friedman 2001): below 1, more look-ups share the work.
    double shrinkage = 1;
};

/// A look-up table that was fitted.
struct FittedTable {
    std::size_t place = 0;
    double loss = 1;  ///< Σ 2 sqrt(w+ w-) over the codes, both classes' weights summing to 1 (Schapire and Singer 1999)
    std::array<std::int8_t, MctCascade::codes> weights{};
};

/// Real AdaBoost over look-up tables (Fröba and Ernst 2004, section 3; Wu et al. 2004): sums fall on faces. One
/// class of patches with its sums and weights.
class BoostedClass {
  public:
    /// \param codes must outlive the object. \param face weights are exp(±sum / weight_unit), + for faces.
    BoostedClass(const CodeMatrix& codes, bool face, double weight_unit);

    void add(std::size_t place, const std::array<std::int8_t, MctCascade::codes>& weights);
    /// Patches whose sum is above take no part any more. \return how many are left.
    std::size_t reject_above(std::int32_t threshold);
    void begin_stage();

    const CodeMatrix& codes() const { return *codes_; }
    std::span<const std::int32_t> sums() const { return sums_; }
    bool alive(std::size_t i) const { return alive_[i] != 0; }
    std::size_t alive_count() const { return alive_count_; }
    /// Weights that sum to 1 over the patches that are left, 0 for the others.
    std::span<const float> weights() const { return weights_; }

    void set_bias(double b) { bias_ = b; update_weights(); }
    double total() const { return total_; }

  private:
    void update_weights();
    double bias_ = 0;
    double total_ = 0;

    const CodeMatrix* codes_;
    bool face_;
    double weight_unit_;
    std::vector<std::int32_t> sums_;
    std::vector<std::uint8_t> alive_;
    std::vector<float> weights_;
    std::size_t alive_count_;
};

void balance(BoostedClass& faces, BoostedClass& others);

/// The table of the place with the least loss, among those allowed. Ties go to the first.
FittedTable fit_table(const BoostedClass& faces, const BoostedClass& others, std::span<const std::uint8_t> allowed,
                      const BoostSettings& settings);

}  // namespace fovea
