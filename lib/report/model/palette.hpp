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

constexpr std::size_t colours_of_series = 12;

/// Colour of the i-th series, everywhere in a report; the thirteenth has the first colour again, with another
/// dash. The first seven are by M. Okabe and K. Ito, "Color Universal Design", 2008, with a grey in place of
/// black (the ink) and yellow (too faint on white). The others were found by search: they are far from these
/// and from one another in OKLab, also as protanopes, deuteranopes and tritanopes see them.
std::string series_colour(std::size_t i);

/// Dashes of the i-th detector's lines: on, off, ... in pixels; none for a solid line. Repeats out
/// of step with the colours, so that many detectors and prints without colour can be told apart.
const std::vector<int>& series_dashes(std::size_t i);

/// The look of a detector's lines and bars.
struct SeriesStyle {
    std::size_t colour = 0;      ///< as series_colour() counts
    std::vector<int> dashes{};   ///< as series_dashes()
    bool is_calibrated = false;  ///< the calibrated boxes of another series: bars are paler
};

/// Styles of series by their names. If a name ends as in "mct, calibrated", that series has the colour of
/// "mct" and is dashed, and all others are solid; else series_colour() and series_dashes() decide by place.
std::vector<SeriesStyle> series_styles(const std::vector<std::string>& names);

}  // namespace fovea::report
