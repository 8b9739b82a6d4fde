#include "lib/report/plots/figure_script.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <spdlog/fmt/fmt.h>

#include "lib/core/text.hpp"
#include "lib/evaluate/statistics/normal_deviate.hpp"
#include "lib/numbers/number_text.hpp"

namespace fovea::report {
namespace {

constexpr double share_of_bars = 0.76;

std::string shade(const std::string& colour, double strength) {
    std::string mixed = "#";
    for (const std::size_t at : {1U, 3U, 5U}) {
        const double full = std::stoi(colour.substr(at, 2), nullptr, 16);
        const double paper = std::stoi(palette::paper.substr(at, 2), nullptr, 16);
        mixed += fmt::format("{:02x}", static_cast<int>(paper + (full - paper) * strength + 0.5));
    }
    return mixed;
}

/// The least and the largest of some values.
struct Extent {
    double low = no_value;
    double high = no_value;

    void take(double value) {
        if (!std::isfinite(value)) return;
        low = std::isfinite(low) ? std::min(low, value) : value;
        high = std::isfinite(high) ? std::max(high, value) : value;
    }
    bool is_empty() const { return !std::isfinite(low); }
};

Extent extent_of(const Plot& plot, bool is_x, bool is_positive) {
    Extent extent;
    const auto take = [&](double value) {
        if (!is_positive || value > 0) extent.take(value);
    };
    for (const Series& series : plot.series) {
        for (const PlotPoint& point : series.points) {
            take(is_x ? point.x : point.y);
            if (is_x) continue;
            take(point.low);
            take(point.high);
            if (series.mark == Mark::bars || series.mark == Mark::area) take(0);
        }
        for (const BandPlace& place : series.band) {
            take(is_x ? place.x : place.low);
            take(is_x ? place.x : place.high);
        }
        for (const PlotRect& rect : series.rects) {
            take(is_x ? rect.x : rect.y);
            take(is_x ? rect.x2 : rect.y2);
        }
        for (const PlotBox& box : series.boxes) {
            take(is_x ? box.x : box.low);
            take(is_x ? box.x : box.high);
        }
    }
    return extent;
}

/// An axis on which gnuplot's places are linear.
class PlacedAxis {
  public:
    PlacedAxis(const Axis& axis, const Extent& extent) : axis_(axis) {
        low_ = axis.min.value_or(extent.is_empty() ? 0 : extent.low);
        high_ = axis.max.value_or(extent.is_empty() ? 1 : extent.high);
        if (axis.scale == Scale::log && !(low_ > 0)) low_ = high_ > 0 ? high_ / 10 : 1;
        if (!(high_ > low_)) high_ = axis.scale == Scale::log ? 10 * low_ : low_ + 1;
    }

    double place(double value) const {
        switch (axis_.scale) {
            case Scale::log:
                return value > 0 ? std::max(std::log10(value), log_floor()) : log_floor();
            case Scale::log1p:
                return std::log10(1 + std::max(value, 0.0));
            case Scale::probit:
                return normal_deviate(std::clamp(value, low_, high_));
            case Scale::linear:
                break;
        }
        return axis_.is_share ? 100 * value : value;
    }

    /// The place on which bars stand.
    double ground() const { return axis_.scale == Scale::linear ? 0 : place(low_); }

    PlotScript script(const PlotScript& name, bool is_x) const {
        PlotScript script;
        script += plot_script("set {}range [{}:{}] {}\n", name, end(axis_.min), end(axis_.max),
                              axis_.is_reversed ? plot_script("reverse") : PlotScript());
        if (!axis_.marks.empty()) return script + marks_script(name, is_x);
        if (axis_.scale != Scale::linear) return script + plot_script("set {}tics {}\n", name, tics());
        if (!axis_.is_share) return script;
        if (axis_.min == 0.0 && axis_.max == 1.0) script += plot_script("set {}tics 0,20,100\n", name);
        return script + plot_script("set format {} '%g %%'\n", name);
    }

  private:
    double log_floor() const { return std::log10(low_); }

    PlotScript end(const std::optional<double>& given) const {
        return given ? plot_script("{:.6g}", place(*given)) : plot_script("*");
    }

    std::string label_of(double value) const {
        if (axis_.is_share) return compact(100 * value) + " %";
        return value >= 1000 ? grouped(static_cast<long long>(value)) : compact(value);
    }

    PlotScript marks_script(const PlotScript& name, bool is_x) const {
        Tics tics;
        for (const AxisMark& mark : axis_.marks) {
            const PlotScript at = plot_script("{:.6g}", place(mark.at));
            if (is_x && !mark.second.empty()) {
                tics.add(mark.label, mark.second, at);
            } else {
                tics.add(mark.label, at);
            }
        }
        return plot_script("set {}tics scale 0 {} {}\nset grid no{}tics\n", name,
                           axis_.is_slanted ? plot_script("rotate by 45 right") : PlotScript(), tics.script(),
                           name);
    }

    PlotScript tics() const {
        Tics tics;
        if (axis_.scale == Scale::probit) {
            for (const double share :
                 {0.0001, 0.001, 0.01, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 0.9, 0.95, 0.99, 0.999}) {
                if (share >= low_ && share <= high_)
                    tics.add(label_of(share), plot_script("{:.6f}", place(share)));
            }
            return tics.script();
        }
        // Powers of ten have their labels first, then as many fives and twos as have room between them.
        const double last = place(high_);
        LabelRoom room(place(low_), last);
        std::set<double> labelled;
        const double first_decade =
            axis_.scale == Scale::log1p ? 1 : std::pow(10.0, std::floor(std::log10(low_) + 1e-9));
        const auto is_inside = [&](double value) {
            return value >= low_ * (1 - 1e-9) && place(value) <= last + 1e-9;
        };
        const auto label = [&](double value) {
            if (is_inside(value) && room.take(place(value), label_of(value))) labelled.insert(value);
        };
        const auto each_decade = [&](auto&& act) {
            for (double decade = first_decade; decade <= high_ * (1 + 1e-9); decade *= 10) act(decade);
        };
        if (axis_.scale == Scale::log1p) label(0);
        for (const int digit : {1, 5, 2}) each_decade([&](double decade) { label(digit * decade); });
        const auto tick = [&](double value) {
            if (!is_inside(value)) return;
            const bool has_label = labelled.contains(value);
            tics.add(has_label ? label_of(value) : "",
                     plot_script("{:.6f} {}", place(value), has_label ? 0 : 1));
        };
        if (axis_.scale == Scale::log1p) tick(0);
        each_decade([&](double decade) {
            for (int digit = 1; digit <= 9; ++digit) tick(digit * decade);
        });
        return tics.script();
    }

    const Axis& axis_;
    double low_ = 0;
    double high_ = 1;
};

class FigureScript {
  public:
    explicit FigureScript(const Plot& plot)
        : plot_(plot),
          x_(plot.x, extent_of(plot, true, plot.x.scale == Scale::log)),
          y_(plot.y, extent_of(plot, false, plot.y.scale == Scale::log)),
          beside_(std::count_if(plot.series.begin(), plot.series.end(), is_beside)) {}

    PlotScript script() {
        add_axes();
        for (std::size_t i = 0; i < plot_.series.size(); ++i) add_band(plot_.series[i], i);
        for (const bool is_reference : {true, false}) {
            for (std::size_t i = 0; i < plot_.series.size(); ++i) {
                if (plot_.series[i].is_reference == is_reference) add_series(plot_.series[i], i);
            }
        }
        if (!plot_.empty_note.empty()) script_ += note(plot_.empty_note);
        return script_ + plot_command(parts_);
    }

  private:
    static bool is_beside(const Series& series) {
        return (series.mark == Mark::bars || series.mark == Mark::boxes) && series.width <= 0;
    }

    void add_axes() {
        script_ += axis_labels(plot_.x.label, plot_.y.label) + x_.script(plot_script("x"), true) +
                   y_.script(plot_script("y"), false);
        const auto has_second = [](const AxisMark& mark) { return !mark.second.empty(); };
        if (std::any_of(plot_.x.marks.begin(), plot_.x.marks.end(), has_second))
            script_ += plot_script("set xlabel offset 0,-0.7\nset bmargin 4.6\n");
        if (plot_.x.label.empty()) script_ += plot_script("unset xlabel\n");
        for (const AxisMark& mark : plot_.y.marks) {
            if (mark.second.empty()) continue;
            script_ +=
                plot_script("set rmargin 12\nset label {} at graph 1.02, first {:.6g} left tc rgb {}\n",
                            mark.second, y_.place(mark.at), palette::ink);
        }
        if (plot_.is_square) script_ += plot_script("set size ratio -1\n");
        for (const ReferenceLine& line : plot_.lines) add_line(line);
        for (const PlotLabel& label : plot_.labels) {
            script_ += plot_script("set label {} at {:.6g},{:.6g} left offset 0.8,-0.7 tc rgb {}\n",
                                   label.text, x_.place(label.x), y_.place(label.y), palette::ink);
        }
    }

    void add_line(const ReferenceLine& line) {
        PlotScript ends;
        if (line.x) {
            ends = plot_script("first {0:.6g}, graph 0 to first {0:.6g}, graph 1", x_.place(*line.x));
        } else if (line.y) {
            ends = plot_script("graph 0, first {0:.6g} to graph 1, first {0:.6g}", y_.place(*line.y));
        } else if (line.from && line.to) {
            ends = plot_script("first {:.6g}, first {:.6g} to first {:.6g}, first {:.6g}",
                               x_.place((*line.from)[0]), y_.place((*line.from)[1]), x_.place((*line.to)[0]),
                               y_.place((*line.to)[1]));
        }
        script_ +=
            plot_script("set arrow from {} nohead back lw 1.2 dt (4,3) lc rgb {}\n", ends, palette::axis);
    }

    static std::string colour_of(const Series& series) {
        if (series.is_reference || series.tone == Tone::axis) return palette::axis;
        if (series.tone == Tone::ink) return palette::ink;
        if (series.tone == Tone::muted) return palette::muted;
        return series_colour(series.style.colour);
    }

    static PlotScript title_of(const Series& series) {
        if (series.name.empty()) return plot_script("notitle");
        const std::string detail = series.detail.empty() ? "" : " (" + series.detail + ")";
        return plot_script("title {}", key_name(series.name, detail.size()) + detail);
    }

    void add_part(const PlotScript& name, const PlotScript& rows, const PlotScript& command) {
        script_ += data_block(name, rows);
        parts_.push_back(plot_script("${} using {}", name, command));
    }

    void add_band(const Series& series, std::size_t i) {
        if (series.band.empty()) return;
        PlotScript rows;
        for (const BandPlace& place : series.band)
            rows += plot_script("{:.6g} {:.6g} {:.6g}\n", x_.place(place.x), y_.place(place.low),
                                y_.place(place.high));
        add_part(plot_script("band{}", i), rows,
                 plot_script("1:2:3 with filledcurves fs transparent solid 0.15 noborder lc rgb {} notitle",
                             colour_of(series)));
    }

    void add_series(const Series& series, std::size_t i) {
        switch (series.mark) {
            case Mark::rects:
                add_rects(series, i);
                break;
            case Mark::boxes:
                add_boxes(series, i);
                break;
            case Mark::bars:
                add_bars(series, i);
                break;
            default:
                add_curve(series, i);
        }
    }

    void add_curve(const Series& series, std::size_t i) {
        PlotScript rows;
        for (const PlotPoint& point : series.points) {
            // An empty line breaks the curve.
            rows += std::isfinite(point.y)
                        ? plot_script("{:.8g} {:.6g}\n", x_.place(point.x), y_.place(point.y))
                        : plot_script("\n");
        }
        const PlotScript colour = plot_script("lc rgb {}", colour_of(series));
        const PlotScript line = series.is_reference
                                    ? plot_script("lw 1.5 dt ({},3) {}", 2 + 4 * (i % 4), colour)
                                    : plot_script("lw 2 {} {}", dash(series.style), colour);
        const PlotScript title = title_of(series);
        const std::size_t shape = 5 + 2 * (i % 5);
        if (series.points.empty()) {
            parts_.push_back(plot_script("NaN with lines {} {}", line, title));
            return;
        }
        const PlotScript name = plot_script("curve{}", i);
        add_whiskers(series, i, 0);
        switch (series.mark) {
            case Mark::dots:
                add_part(name, rows, plot_script("1:2 with points pt 7 ps 0.7 {} {}", colour, title));
                break;
            case Mark::line_dots:
                add_part(name, rows,
                         plot_script("1:2 with linespoints pt {} ps 0.6 {} {}", shape, line, title));
                break;
            case Mark::steps:
                add_part(name, rows, plot_script("1:2 with steps {} {}", line, title));
                break;
            case Mark::area:
                add_part(
                    plot_script("area{}", i), rows,
                    plot_script("1:2 with filledcurves y1=0 fs transparent solid 0.25 noborder {} notitle",
                                colour));
                [[fallthrough]];
            default:
                add_part(name, rows, plot_script("1:2 with lines {} {}", line, title));
        }
    }

    // The distance of the series' bars or boxes from the middle of their category.
    double offset_of(const Series& series) {
        if (!is_beside(series)) return 0;
        const double width = share_of_bars / static_cast<double>(beside_);
        return width * (static_cast<double>(placed_++) - static_cast<double>(beside_ - 1) / 2);
    }

    double width_of(const Series& series) const {
        return series.width > 0 ? series.width : 0.92 * share_of_bars / static_cast<double>(beside_);
    }

    void add_whiskers(const Series& series, std::size_t i, double offset) {
        PlotScript rows;
        for (const PlotPoint& point : series.points) {
            if (std::isfinite(point.low) && std::isfinite(point.high))
                rows += plot_script("{:.6g} {:.6g} {:.6g}\n", x_.place(point.x) + offset, y_.place(point.low),
                                    y_.place(point.high));
        }
        if (rows.empty()) return;
        add_part(plot_script("whiskers{}", i), rows,
                 plot_script("1:2:(0):($3-$2) with vectors nohead lw 1.2 lc rgb {} notitle", palette::ink));
    }

    void add_bars(const Series& series, std::size_t i) {
        const double offset = offset_of(series);
        PlotScript rows;
        for (const PlotPoint& point : series.points) {
            if (!std::isfinite(point.y)) continue;
            const double x = x_.place(point.x) + offset, half = width_of(series) / 2;
            rows += plot_script("{0:.6g} {4:.6g} {1:.6g} {2:.6g} {3:.6g} {4:.6g}\n", x, x - half, x + half,
                                y_.ground(), y_.place(point.y));
        }
        if (rows.empty()) return;
        add_part(plot_script("bars{}", i), rows,
                 plot_script("1:2:3:4:5:6 with boxxyerror {} {}", fill_of(series), title_of(series)));
        add_whiskers(series, i, offset);
    }

    static PlotScript fill_of(const Series& series) {
        if (series.tone == Tone::rival) return bar_fill(series.style);
        return plot_script("fs solid 0.85 noborder lc rgb {}", colour_of(series));
    }

    void add_rects(const Series& series, std::size_t i) {
        std::map<double, PlotScript> by_strength;
        for (const PlotRect& rect : series.rects) {
            const double x = x_.place(rect.x), x2 = x_.place(rect.x2);
            const double y = y_.place(rect.y), y2 = y_.place(rect.y2);
            by_strength[rect.strength] +=
                plot_script("{:.8g} {:.6g} {:.8g} {:.8g} {:.6g} {:.6g}\n", (x + x2) / 2, (y + y2) / 2,
                            std::min(x, x2), std::max(x, x2), std::min(y, y2), std::max(y, y2));
        }
        std::size_t part = 0;
        for (const auto& [strength, rows] : by_strength) {
            const bool is_last = part + 1 == by_strength.size();
            const PlotScript fill =
                series.style.is_calibrated
                    ? bar_fill(series.style)
                    : plot_script("fs solid 1 noborder lc rgb {}", shade(colour_of(series), strength));
            add_part(plot_script("rects{}x{}", i, part), rows,
                     plot_script("1:2:3:4:5:6 with boxxyerror {} {}", fill,
                                 is_last ? title_of(series) : plot_script("notitle")));
            ++part;
        }
    }

    void add_boxes(const Series& series, std::size_t i) {
        const double offset = offset_of(series);
        const double width = 0.85 * width_of(series);
        PlotScript rows;
        for (const PlotBox& box : series.boxes) {
            rows +=
                plot_script("{:.6g} {:.6g} {:.6g} {:.6g} {:.6g} {:.6g} {:.6g}\n", x_.place(box.x) + offset,
                            y_.place(box.low), y_.place(box.lower_quartile), y_.place(box.median),
                            y_.place(box.upper_quartile), y_.place(box.high), y_.place(box.mean));
        }
        if (rows.empty()) return;
        const PlotScript name = plot_script("boxes{}", i);
        add_part(name, rows,
                 plot_script("1:3:2:6:5:({:.6g}) with candlesticks whiskerbars 0.5 fs solid 0.35 border lw "
                             "1.2 lc rgb {} {}",
                             width, colour_of(series), title_of(series)));
        parts_.push_back(
            plot_script("${} using ($1-{:.6g}):4:({:.6g}):(0) with vectors nohead lw 2 lc rgb {} notitle",
                        name, width / 2, width, palette::ink));
        parts_.push_back(
            plot_script("${} using 1:7 with points pt 7 ps 0.35 lc rgb {} notitle", name, palette::ink));
    }

    const Plot& plot_;
    PlacedAxis x_;
    PlacedAxis y_;
    std::ptrdiff_t beside_;
    std::ptrdiff_t placed_ = 0;
    PlotScript script_;
    std::vector<PlotScript> parts_;
};

}  // namespace

PlotScript figure_script(const Plot& plot) {
    return FigureScript(plot).script();
}

std::size_t figure_key_rows(const Plot& plot) {
    const auto named = static_cast<std::size_t>(std::count_if(
        plot.series.begin(), plot.series.end(), [](const Series& series) { return !series.name.empty(); }));
    return named > 1 ? named : 0;
}

}  // namespace fovea::report
