#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace fovea::report {

/// Colours of the plots, "#rrggbb" in lower case. In the page each is a CSS variable of the same role.
namespace palette {
inline const std::string paper = "#ffffff";
inline const std::string ink = "#1f2933";  ///< text
inline const std::string axis = "#8a94a0";
inline const std::string grid = "#e4e7eb";
inline const std::string muted = "#a3acb8";  ///< what is there for orientation only
}  // namespace palette

/// Colour of the i-th detector, everywhere in a report; the eighth has that of the first again, with another
/// dash. The first seven can be told apart with any common
/// form of colour blindness. Source: M. Okabe and K. Ito, "Color Universal Design", 2008 (without black and
/// yellow, which are the ink and too faint on white; with a grey).
std::string series_colour(std::size_t i);

/// Dashes of the i-th detector's lines: on, off, ... in pixels; none for a solid line. Repeats out
/// of step with the colours, so that many detectors and prints without colour can be told apart.
const std::vector<int>& series_dashes(std::size_t i);

/// Name of the CSS variable of the i-th detector's colour: "--plot-1", ...
std::string series_variable(std::size_t i);

/// "#0072b2" -> "var(--plot-1)" for the colours above, in any letter case; anything else as it is.
std::string css_variable_of(const std::string& colour);

}  // namespace fovea::report
