#pragma once

#include <vector>

#include "lib/files/staged_files.hpp"
#include "lib/report/model/report.hpp"

namespace fovea::report {

/// Draws plots by gnuplot and adds STEM.svg and STEM.pdf of each, for papers and slides. Equal plots give
/// equal bytes. \throws Error as run_gnuplot().
void add_figures(StagedFiles& files, const std::vector<const Plot*>& plots);

}  // namespace fovea::report
