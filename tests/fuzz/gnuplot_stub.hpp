#pragma once

#include <string>
#include <vector>

namespace fovea::fuzz {

/// The scripts that gnuplot was to draw since the last call. The targets' program has this in place of
/// gnuplot, which draws the texts of a script and nothing else.
std::vector<std::string> drawn_scripts();

}  // namespace fovea::fuzz
