#pragma once

#include "lib/report/plots/plot_script.hpp"

namespace fovea::report {

/// Recall over 1 - precision, as papers on UIUC's cars draw it, with the line on which recall equals
/// precision.
PlotScript recall_false_share_script(const Evaluations& evaluations, const Names& names);

}  // namespace fovea::report
