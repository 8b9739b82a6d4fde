#pragma once

#include <array>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "lib/report/model/palette.hpp"

namespace fovea::report {

/// How values of an axis are spread.
enum class Scale {
    linear,
    log,
    /// log(1 + x): shows 0 and still spreads small counts.
    log1p,
    /// The deviate of the normal distribution, as DET plots have it; of shares in (0, 1).
    probit,
};

/// A place of an axis that has a label.
struct AxisMark {
    double at = 0;
    std::string label;
    /// A second line; on a vertical axis it stands on the right side of the plot.
    std::string second{};
};

struct Axis {
    std::string label{};
    /// Values are shares of 1; people read them in percent.
    bool is_share = false;
    Scale scale = Scale::linear;
    /// Ends; absent = by the data.
    std::optional<double> min{};
    std::optional<double> max{};
    /// These labels alone, if there are some: an axis of categories at whole numbers.
    std::vector<AxisMark> marks{};
    bool is_slanted = false;
    /// Rises downwards.
    bool is_reversed = false;
};

/// A share in percent from 0 to 100 %.
Axis share_axis(std::string label);
/// Categories at 0, 1, ...
Axis category_axis(std::string label, std::vector<AxisMark> marks);
/// Categories at 0, 1, ... from top to bottom: rows of bars.
Axis row_axis(std::string label, std::vector<AxisMark> marks);

constexpr double no_value = std::numeric_limits<double>::quiet_NaN();

/// A place, with its interval if it has one. A y that is not finite breaks the line.
struct PlotPoint {
    double x = 0;
    double y = 0;
    double low = no_value;
    double high = no_value;
    /// A description of the place, for the pointer that rests on it.
    std::string note{};
};

struct BandPlace {
    double x = 0;
    double low = 0;
    double high = 0;
};

struct PlotRect {
    double x = 0;
    double x2 = 0;
    double y = 0;
    double y2 = 0;
    /// Opacity of its colour, in [0, 1].
    double strength = 1;
    std::string note{};
};

/// A bar along the x axis, in a row of row_axis(). \param half of its height.
PlotRect row_bar(double from, double to, double row, double half = 0.32);

/// A box with whiskers.
struct PlotBox {
    double x = 0;
    double low = 0;
    double lower_quartile = 0;
    double median = 0;
    double upper_quartile = 0;
    double high = 0;
    double mean = 0;
};

enum class Mark {
    line,
    /// A value holds up to the next point's x.
    steps,
    dots,
    line_dots,
    bars,
    /// Filled down to 0, with a line above.
    area,
    rects,
    boxes,
};

/// The colour of a series: the rival's, or one of the plot's own.
enum class Tone {
    rival,
    ink,
    axis,
    muted,
};

struct Series {
    /// Shown in the key; empty = not shown.
    std::string name{};
    /// Follows the name in the key: "AP 0.873".
    std::string detail{};
    Mark mark = Mark::line;
    SeriesStyle style{};
    Tone tone = Tone::rival;
    std::vector<PlotPoint> points{};
    std::vector<BandPlace> band{};
    std::vector<PlotRect> rects{};
    std::vector<PlotBox> boxes{};
    /// Width of bars and boxes; 0 = bars and boxes of one category stand side by side.
    double width = 0;
    /// Somebody else's published numbers.
    bool is_reference = false;
    /// Parallel to the points if they are recalls that a reader's threshold moves: FollowedNumber::tally.
    std::vector<std::size_t> tallies{};
    /// The rival of the tallies: its place in Report::operating.
    std::size_t rival = 0;
};

/// A dashed line: across the plot at an x or a y, or from one place to another.
struct ReferenceLine {
    std::optional<double> x{};
    std::optional<double> y{};
    std::optional<std::array<double, 2>> from{};
    std::optional<std::array<double, 2>> to{};
};

/// A text at a place.
struct PlotLabel {
    double x = 0;
    double y = 0;
    std::string text;
};

/// The meaning of an axis on which a threshold moves a point, as OperatingCurve counts.
enum class OperatingAxis {
    none,
    false_positives,
    recall,
    precision,
    threshold,
};

/// A plot as data. Nothing here says how it is drawn.
struct Plot {
    /// Name of its files, without extension; unique in its report.
    std::string stem;
    std::string title;
    /// A description for readers, in a sentence or two.
    std::string caption;
    Axis x{};
    Axis y{};
    std::vector<Series> series{};
    std::vector<ReferenceLine> lines{};
    std::vector<PlotLabel> labels{};
    /// Its width is that of two plots side by side.
    bool is_wide = false;
    /// A unit is equally long on both axes.
    bool is_square = false;
    /// Shown in the middle if there is nothing to draw.
    std::string empty_note{};
    OperatingAxis operating_x = OperatingAxis::none;
    OperatingAxis operating_y = OperatingAxis::none;
};

/// A curve of a rival. \param names of all rivals, whose styles tell them apart.
Series rival_series(const std::vector<std::string>& names, std::size_t i, Mark mark);

/// A curve for each name, in the look that tells all names apart; curves without points are left out.
/// \param points parallel to the names.
std::vector<Series> curves_of(const std::vector<std::string>& names,
                              std::vector<std::vector<PlotPoint>> points, Mark mark);

/// A curve without the points that no eye can tell from their neighbours on axes of these lengths; keeps the
/// first and the last, breaks, and points with intervals.
std::vector<PlotPoint> thinned(const std::vector<PlotPoint>& points, double x_length, double y_length);
/// Does it on axes of any scale; ends that are not given are the points' own.
std::vector<PlotPoint> thinned(const std::vector<PlotPoint>& points, const Axis& x, const Axis& y);

}  // namespace fovea::report
