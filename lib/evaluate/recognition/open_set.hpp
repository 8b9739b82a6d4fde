#pragma once

#include <optional>
#include <vector>

#include "lib/evaluate/recognition/identification.hpp"

namespace fovea {

/// False positive identification rates at which FNIR is reported.
extern const std::vector<double> reported_fpir;  // rising

struct OpenSetPoint {
    double threshold = 0;
    double fpir = 0;
    double fnir = 0;           ///< the mate must be the most alike subject
    double fnir_any_rank = 0;  ///< the mate need only score at least the threshold
};

/// Open-set identification for resampling; units are the probes.
///
/// Probes without a mate in the gallery are impostors. FPIR at a threshold is the share of impostors for
/// which any gallery subject reaches the threshold. FNIR is the share of mated probes whose mate does not
/// reach it or, with rank limit 1, is not the most alike subject (ties are broken at random: a mate that
/// shares the first place with n others counts 1 / (n + 1)). A mated probe that was not enrolled, or whose
/// mates were not, counts as not identified; an unmated probe that was not enrolled counts as rejected.
/// Source: NIST IR 8271 (FRVT part 2: identification), section 3.
///
/// Statistics: fnir_at_fpir_* and fnir_any_rank_at_fpir_* of reported_fpir, at the loosest threshold
/// with at most that FPIR, undefined with fewer than 1 / FPIR unmated probes; then FNIR (rank limit 1)
/// at band_fpir().
class OpenSetCurve : public BootstrapStatistics {
  public:
    explicit OpenSetCurve(const std::vector<ProbeSearch>& searches);

    std::size_t units() const override { return units_; }
    const std::vector<Quantity>& quantities() const override { return quantities_; }
    void evaluate(Weights weights, std::span<double> values) const override;

    const std::vector<double>& band_fpir() const { return band_fpir_; }
    std::size_t first_band() const { return quantities_.size() - band_fpir_.size(); }
    /// A point per distinct score, by falling threshold.
    std::vector<OpenSetPoint> points() const;
    std::size_t unmated() const { return unmated_; }

  private:
    struct Event {  // by falling score
        double score = 0;
        std::size_t probe = 0;
        bool mated = false;
        double first_place = 0;  // share of the first place that the mate has
    };
    bool ends_score(std::size_t i) const {
        return i + 1 == events_.size() || events_[i + 1].score != events_[i].score;
    }

    std::size_t units_;
    std::vector<Event> events_;      // enrolled probes only
    std::vector<bool> probe_mated_;  // by unit
    std::size_t unmated_ = 0;
    std::vector<double> band_fpir_;
    std::vector<Quantity> quantities_;
};

}  // namespace fovea
