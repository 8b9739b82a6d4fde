#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace fovea {

struct CascadeTrainConfig;

struct SweepValue {
    double value = 0;
    std::string text;  ///< with as many decimals as the sweep was written with: "0.30"
};

/// A setting of the stages that takes one value after the other (Andargie 2019, table 5.2: the false alarms
/// of a stage from 0.30 to 0.95 by 0.05), a cascade for each.
class CascadeSweep {
  public:
    static constexpr std::size_t max_values = 100;

    /// Reads FIELD=FIRST:LAST:STEP, where FIELD is max_false_alarm, min_hit_rate or stages. LAST is among the
    /// values if steps lead to it. The range of the field is not checked. \throws UsageError that says what
    /// is wrong, also for more values than max_values.
    static CascadeSweep parse(const std::string& text);

    const std::string& field() const { return field_; }
    bool is_of_stages() const;
    const std::vector<SweepValue>& values() const { return values_; }
    /// The configuration of one cascade: with this value, and without a sweep.
    CascadeTrainConfig configuration(const CascadeTrainConfig& config, const SweepValue& value) const;

  private:
    CascadeSweep() = default;

    std::string field_;
    std::vector<SweepValue> values_;
};

}  // namespace fovea
