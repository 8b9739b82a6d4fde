#pragma once

#include <vector>

#include "lib/report/model/plot.hpp"
#include "lib/train/cascade/cascade_rates.hpp"
#include "lib/train/cascade/train_cascade_job.hpp"

namespace fovea::report {

/// Share of the windows that the check of contrast and then each stage rejects, on a logarithmic axis.
Plot rejection_plot(const CascadeRates& rates);

/// Hit rate and false alarms of each stage, on the samples that decide.
Plot stage_rates_plot(const std::vector<CascadeStageResult>& stages, double max_false_alarm);

/// Hits of the positives against false alarms among the windows: after each stage, and by the last
/// stage's threshold.
Plot cascade_roc_plot(const CascadeRates& rates);

/// Accuracy, precision, recall and F1 by the value of a sweep. Cascades without a stage are left out.
Plot sweep_plot(const std::vector<SweepPoint>& sweep);
/// Recall against false positives of the cascades of a sweep.
Plot sweep_rates_plot(const std::vector<SweepPoint>& sweep);

}  // namespace fovea::report
