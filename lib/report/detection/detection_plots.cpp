#include "lib/report/detection/detection_plots.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include <spdlog/fmt/fmt.h>
#include <tbb/parallel_for.h>

#include "lib/core/text.hpp"
#include "lib/report/detection/recall_plot.hpp"
#include "lib/report/html/format.hpp"
#include "lib/report/html/palette.hpp"
#include "lib/report/plots/plot.hpp"
#include "lib/report/plots/plot_script.hpp"
#include "lib/report/plots/reference_curve.hpp"

namespace fovea::report {
namespace {

// --- ROC -------------------------------------------------------------------------------------------

/// Numbers of false positives run from 0 to thousands: beyond a few dozen the axis is that of log(1 + x),
/// which shows 0 and still spreads the small numbers.
struct FalsePositiveAxis {
    bool logarithmic = false;
    double limit = 1;

    explicit FalsePositiveAxis(const Evaluations& evaluations) {
        int most = 1;
        for (const DetectionEvaluation& evaluation : evaluations) {
            for (const RocPoint& point : evaluation.roc) most = std::max(most, point.false_positives);
        }
        logarithmic = most > 30;
        limit = logarithmic ? place(most) * 1.02 : std::max(most * 1.03, 1.0);
    }

    double place(double false_positives) const {
        return logarithmic ? std::log10(1 + false_positives) : false_positives;
    }

    PlotScript script() const {
        const PlotScript range = plot_script("set xrange [0:{:.6g}]\n", limit);
        if (!logarithmic) {
            const double most = limit / 1.03;
            const int step = most > 20 ? 5 : most > 8 ? 2 : 1;
            return range + plot_script("set xtics 0,{}\n", step);
        }
        // Powers of ten have their labels first, then as many fives and twos as have room between them.
        LabelRoom room(0, limit);
        std::set<double> labelled;
        const auto label = [&](double value) {
            if (place(value) > limit) return;
            if (room.take(place(value), grouped(static_cast<long long>(value)))) labelled.insert(value);
        };
        label(0);
        for (const int digit : {1, 5, 2}) {
            for (double decade = 1; place(decade) <= limit; decade *= 10) label(digit * decade);
        }
        Tics tics;
        const auto tick = [&](double value) {
            if (place(value) > limit) return;
            const bool has_label = labelled.contains(value);
            tics.add(has_label ? grouped(static_cast<long long>(value)) : "",
                     plot_script("{:.6f} {}", place(value), has_label ? 0 : 1));
        };
        tick(0);
        for (double decade = 1; place(decade) <= limit; decade *= 10) {
            for (int digit = 1; digit <= 9; ++digit) tick(digit * decade);
        }
        return range + plot_script("set xtics {}\n", tics.script());
    }
};

/// Where the axis of rates begins, percent. Curves of several good detectors crowd together at the top of an
/// axis from 0: it then begins at least 10 % below where each of them is at 10 false positives.
int rate_floor(const Evaluations& evaluations, double RocPoint::*rate) {
    constexpr std::size_t crowd = 3;
    constexpr int knee = 10;
    if (evaluations.size() < crowd) return 0;
    double lowest = 1;
    for (const DetectionEvaluation& evaluation : evaluations) {
        double reached = 0;
        for (const RocPoint& point : evaluation.roc) {
            if (point.false_positives <= knee) reached = point.*rate;
        }
        lowest = std::min(lowest, reached);
    }
    const int floor = static_cast<int>(10 * lowest - 1) * 10;
    return floor < 30 ? 0 : floor;
}

PlotScript rate_axis(int floor) {
    if (floor == 0) return percent_axis(plot_script("y"));
    return plot_script("set yrange [{0}:100]\nset ytics {0},10,100\nset format y '%g %%'\n", floor);
}

std::string floor_note(int floor) {
    return floor == 0 ? "" : fmt::format(" The axis begins at {}\u00A0%.", floor);
}

/// A band around every curve would hide the others.
bool has_bands(const Evaluations& evaluations) {
    return evaluations.size() <= max_with_bars;
}

/// By rising false positives, as far as the axis goes.
std::vector<CurvePoint> reference_points(const ReferenceCurve& reference, const FalsePositiveAxis& axis) {
    std::vector<CurvePoint> points;
    for (std::size_t i = 0; i < reference.rates.size(); ++i) {
        const double x = axis.place(reference.false_positives[i]);
        if (x <= axis.limit) points.push_back({x, 100 * reference.rates[i]});
    }
    std::sort(points.begin(), points.end(), [](const CurvePoint& a, const CurvePoint& b) {
        return std::tie(a.x, a.y) < std::tie(b.x, b.y);
    });
    return thinned(points, axis.limit / 1000, 0.1);
}

/// \param rate the ordinate of a ROC point: the discrete or the continuous score.
PlotScript roc_script(const Evaluations& evaluations, const Names& names, double RocPoint::*rate,
                      std::string_view y_label, const std::vector<ReferenceCurve>& references) {
    const FalsePositiveAxis axis(evaluations);
    const bool is_discrete = rate == &RocPoint::detection_rate;
    const std::vector<SeriesStyle> styles = series_styles(names);
    PlotScript script = axis_labels("False positives in all images", y_label) +
                        rate_axis(rate_floor(evaluations, rate)) + axis.script();
    std::vector<PlotScript> parts;
    bool anything = false;
    for (std::size_t i = 0; i < evaluations.size() && has_bands(evaluations); ++i) {
        std::vector<BandEdge> edges;
        for (const BandPoint& point :
             is_discrete ? evaluations[i].roc_band : evaluations[i].continuous_band) {
            edges.push_back({axis.place(point.at), 100 * point.ci95[0], 100 * point.ci95[1]});
        }
        if (edges.empty()) continue;
        script += band_block(plot_script("band{}", i), edges);
        parts.push_back(band_command(plot_script("band{}", i), styles[i].colour));
    }
    for (std::size_t i = 0; i < references.size(); ++i) {
        if (references[i].continuous == is_discrete) continue;
        script += curve_block(plot_script("reference{}", i), reference_points(references[i], axis));
        parts.push_back(plot_script("$reference{} using 1:2 with lines lw 1.5 dt ({},3) lc rgb {} title {}",
                                    i, 2 + 4 * (i % 4), palette::axis, key_name(references[i].name)));
        anything = true;
    }
    for (std::size_t i = 0; i < evaluations.size(); ++i) {
        std::vector<CurvePoint> curve{{0, 0}};
        for (const RocPoint& point : evaluations[i].roc) {
            curve.push_back({axis.place(point.false_positives), 100 * (point.*rate)});
        }
        anything = anything || curve.size() > 1;
        const CurvePoint last = curve.back();
        script += curve_block(plot_script("curve{}", i), thinned(curve, axis.limit / 1000, 0.1));
        script += curve_block(plot_script("end{}", i), {last});
        const PlotScript colour = line_colour(styles[i]);
        // A step, as the rate at N false positives is that of the strictest threshold that allows them.
        parts.push_back(plot_script("$curve{} using 1:2 with steps lw 2 {} {} title {}", i, dash(styles[i]),
                                    colour, key_name(names[i])));
        parts.push_back(plot_script("$end{} using 1:2 with points pt 7 ps 0.7 {} notitle", i, colour));
    }
    if (!anything) script += note("no detections");
    return script + plot_command(parts);
}

// --- precision and recall --------------------------------------------------------------------------

/// A resample in forty and more do not reach the recall at all, and count as precision 0.
bool is_unreached(const BandPoint& point) {
    return point.ci95[0] <= 0;
}

/// A sentence on bands that end before their curves do; empty if none does.
std::string note_of_cut_bands(const Evaluations& evaluations) {
    const bool is_cut = has_bands(evaluations) &&
                        std::any_of(evaluations.begin(), evaluations.end(), [](const auto& evaluation) {
                            return std::any_of(evaluation.precision_band.begin(),
                                               evaluation.precision_band.end(), is_unreached);
                        });
    return is_cut ? " It ends where a resample in forty finds too few faces." : "";
}

PlotScript precision_recall_script(const Evaluations& evaluations, const Names& names) {
    const std::vector<SeriesStyle> styles = series_styles(names);
    PlotScript script = axis_labels("Recall (detection rate)", "Precision") + percent_axis(plot_script("x")) +
                        percent_axis(plot_script("y"));
    std::vector<PlotScript> parts;
    bool anything = false;
    for (std::size_t i = 0; i < evaluations.size() && has_bands(evaluations); ++i) {
        std::vector<BandEdge> edges;
        for (const BandPoint& point : evaluations[i].precision_band) {
            if (is_unreached(point)) break;
            edges.push_back({100 * point.at, 100 * point.ci95[0], 100 * point.ci95[1]});
        }
        if (edges.empty()) continue;
        script += band_block(plot_script("band{}", i), edges);
        parts.push_back(band_command(plot_script("band{}", i), styles[i].colour));
    }
    for (std::size_t i = 0; i < evaluations.size(); ++i) {
        std::vector<CurvePoint> curve;
        for (const RocPoint& point : evaluations[i].roc) {
            curve.push_back({100 * point.detection_rate, 100 * point.precision});
        }
        // A protocol with numbers of its own has its own average precision, which is not this curve's.
        const std::string title =
            evaluations[i].protocol_numbers.empty()
                ? fmt::format("{} (AP {})", key_name(names[i], 9), fixed(evaluations[i].average_precision, 3))
                : key_name(names[i], 9);
        const PlotScript colour = line_colour(styles[i]);
        if (curve.empty()) {
            parts.push_back(
                plot_script("NaN with lines lw 2 {} {} title {}", dash(styles[i]), colour, title));
            continue;
        }
        anything = true;
        // The strictest threshold's precision holds down to recall 0.
        const CurvePoint first{0, curve.front().y};
        const CurvePoint last = curve.back();
        curve.insert(curve.begin(), first);
        script += curve_block(plot_script("curve{}", i), thinned(curve, 0.1, 0.1));
        script += curve_block(plot_script("end{}", i), {last});
        parts.push_back(plot_script("$curve{} using 1:2 with lines lw 2 {} {} title {}", i, dash(styles[i]),
                                    colour, title));
        parts.push_back(plot_script("$end{} using 1:2 with points pt 7 ps 0.7 {} notitle", i, colour));
    }
    if (!anything) script += note("no detections");
    return script + plot_command(parts);
}

// --- IoU histogram ---------------------------------------------------------------------------------

int missed_faces(const DetectionEvaluation& evaluation) {
    return std::max(0, evaluation.faces - evaluation.true_positives);
}

/// The counts of faces by IoU without those that were missed, whose IoU is 0.
std::vector<int> bins_of_found(const DetectionEvaluation& evaluation) {
    std::vector<int> bins = evaluation.iou_histogram;
    if (!bins.empty()) bins[0] = std::max(0, bins[0] - missed_faces(evaluation));
    return bins;
}

PlotScript hit_threshold(const Evaluations& evaluations) {
    if (evaluations.empty() || evaluations[0].options.protocol != DetectionProtocol::iou) return {};
    return plot_script(
        "set arrow from first {0:.6g}, graph 0 to first {0:.6g}, graph 1 nohead back lw 1.2 "
        "dt (4,3) lc rgb {1}\n",
        evaluations[0].options.iou_threshold, palette::axis);
}

// Faces without a detection stand apart from those matched badly.
PlotScript iou_axis(double missed_centre) {
    return plot_script("set xtics ('missed' {}, '0' 0, '0.2' 0.2, '0.4' 0.4, '0.6' 0.6, '0.8' 0.8, '1' 1)\n",
                       missed_centre) +
           plot_script("set xrange [{:.6g}:1]\n", 1.6 * missed_centre);
}

/// Bars of one detector, outlines of up to max_with_bars.
PlotScript iou_histogram_script(const Evaluations& evaluations, const Names& names) {
    constexpr double missed_centre = -0.1;
    constexpr double missed_half = 0.035;
    const std::vector<SeriesStyle> styles = series_styles(names);
    PlotScript script = axis_labels("IoU of face and detection", "Faces") + iou_axis(missed_centre);
    std::vector<PlotScript> parts;
    int most = 1;
    const std::size_t n = evaluations.size();
    for (std::size_t i = 0; i < n; ++i) {
        const std::vector<int> bins = bins_of_found(evaluations[i]);
        const int missed = missed_faces(evaluations[i]);
        most = std::max(most, missed);
        for (const int count : bins) most = std::max(most, count);

        const double width = bins.empty() ? 1 : 1.0 / static_cast<double>(bins.size());
        const PlotScript colour = line_colour(styles[i]);
        const std::string title = key_name(names[i]);
        const double slot = 2 * missed_half / static_cast<double>(n);
        const double missed_at = missed_centre - missed_half + slot * (static_cast<double>(i) + 0.5);
        script += curve_block(plot_script("missed{}", i), {{missed_at, static_cast<double>(missed)}});
        std::vector<CurvePoint> points;
        if (n == 1) {
            for (std::size_t b = 0; b < bins.size(); ++b) {
                points.push_back({(static_cast<double>(b) + 0.5) * width, static_cast<double>(bins[b])});
            }
            script += curve_block(plot_script("bins0"), points);
            parts.push_back(
                plot_script("$bins0 using 1:2:({:.6g}) with boxes fs solid 0.85 noborder {} title {}",
                            width * 0.88, colour, title));
        } else {
            points.push_back({0, 0});
            for (std::size_t b = 0; b < bins.size(); ++b) {
                points.push_back({static_cast<double>(b) * width, static_cast<double>(bins[b])});
                points.push_back({static_cast<double>(b + 1) * width, static_cast<double>(bins[b])});
            }
            script += curve_block(plot_script("bins{}", i), points);
            parts.push_back(plot_script("$bins{} using 1:2 with lines lw 2 {} {} title {}", i,
                                        dash(styles[i]), colour, title));
        }
        parts.push_back(plot_script(
            "$missed{} using 1:2:({:.6g}) with boxes {} notitle", i, slot * 0.9,
            n == 1 ? plot_script("fs solid 0.85 noborder lc rgb {}", palette::muted) : bar_fill(styles[i])));
    }
    script += plot_script("set yrange [0:{:.6g}]\n", most * 1.06);
    if (most < 8) script += plot_script("set ytics 1\n");
    return script + hit_threshold(evaluations) + plot_command(parts);
}

int tallest_bin(const Evaluations& evaluations) {
    int most = 1;
    for (const DetectionEvaluation& evaluation : evaluations) {
        for (const int count : bins_of_found(evaluation)) most = std::max(most, count);
    }
    return most;
}

/// A histogram for each detector in a row of its own, all in one scale: the outlines of many over one another
/// cannot be read. The number of missed faces is written.
PlotScript iou_rows_script(const Evaluations& evaluations, const Names& names) {
    constexpr double missed_centre = -0.17;  // the names leave less room for the axis
    constexpr double row_height = 0.86;
    constexpr std::size_t name_length = 24;
    const std::vector<SeriesStyle> styles = series_styles(names);
    const std::size_t n = evaluations.size();
    const double most = tallest_bin(evaluations);
    PlotScript script = axis_labels("IoU of face and detection", "") + iou_axis(missed_centre) +
                        plot_script("unset ylabel\nset yrange [0:{}]\nset grid xtics noytics\n", n);
    Tics rows;
    std::vector<PlotScript> parts;
    for (std::size_t i = 0; i < n; ++i) {
        const auto floor = static_cast<double>(n - 1 - i);
        // It stands below its detector.
        const bool follows = i > 0 && styles[i].is_calibrated && styles[i].colour == styles[i - 1].colour;
        rows.add(follows ? "calibrated" : shortened(names[i], name_length),
                 plot_script("{:.6g}", floor + row_height / 2));
        script += plot_script("set label {} at {:.6g},{:.6g} center tc rgb {}\n",
                              grouped(missed_faces(evaluations[i])), missed_centre, floor + row_height / 2,
                              palette::ink);
        const std::vector<int> bins = bins_of_found(evaluations[i]);
        const double width = bins.empty() ? 1 : 1.0 / static_cast<double>(bins.size());
        PlotScript bars;
        for (std::size_t b = 0; b < bins.size(); ++b) {
            if (bins[b] == 0) continue;
            const double left = static_cast<double>(b) * width;
            bars += plot_script("{:.6g} {:.6g} {:.6g} {:.6g} {:.6g} {:.6g}\n", left + width / 2, floor,
                                left + 0.06 * width, left + 0.94 * width, floor,
                                floor + row_height * bins[b] / most);
        }
        script += data_block(plot_script("bins{}", i), bars);
        parts.push_back(
            plot_script("$bins{} using 1:2:3:4:5:6 with boxxyerror {} notitle", i, bar_fill(styles[i])));
    }
    script += plot_script("set ytics scale 0 {}\n", rows.script());
    return script + hit_threshold(evaluations) + plot_command(parts);
}

}  // namespace

std::vector<DrawnPlot> detection_plots(const Evaluations& evaluations, const Names& names,
                                       const std::vector<ReferenceCurve>& references) {
    const bool several = evaluations.size() > 1;
    const bool any_band = has_bands(evaluations) && !evaluations[0].roc_band.empty();
    const std::string end_point = several ? " Each dot is its detector with every detection kept."
                                          : " The dot is the detector with every detection kept.";
    const bool crowded = evaluations.size() > max_with_bars;
    const std::string why_not =
        " Intervals of more than three detectors would hide the curves: they are in the tables and in "
        "report.json.";
    const std::string band = any_band ? " The area is the 95\u00A0% interval (bootstrap)."
                             : crowded && !evaluations[0].roc_band.empty() ? why_not
                                                                           : "";
    const std::string whiskers =
        crowded ? " The second line counts faces. Intervals are in the tables."
                : " The dark lines are 95\u00A0% intervals (Wilson); the second line counts faces.";
    struct Drawing {
        std::string stem;
        std::string title;
        std::string caption;
        PlotScript script;
        std::size_t key_rows = 0;
    };
    const std::size_t rows = several ? evaluations.size() : 0;
    const auto roc_rows = [&](bool continuous) {
        const auto count = static_cast<std::size_t>(
            std::count_if(references.begin(), references.end(),
                          [&](const auto& curve) { return curve.continuous == continuous; }));
        return count > 0 ? count + evaluations.size() : rows;
    };
    const auto published = [&](bool continuous) {
        return roc_rows(continuous) > rows ? " Grey: published curves." : "";
    };
    std::vector<Drawing> drawings;
    drawings.push_back(
        {"roc", "Discrete ROC",
         "Faces found against false positives, as the score threshold falls." + end_point + band +
             published(false) + floor_note(rate_floor(evaluations, &RocPoint::detection_rate)),
         roc_script(evaluations, names, &RocPoint::detection_rate, "Detection rate", references),
         roc_rows(false)});
    const bool is_fddb = evaluations[0].options.protocol == DetectionProtocol::fddb;
    const std::string continuous =
        is_fddb
            ? "Every pair of a face and a detection counts with its IoU, hit or not, as in FDDB's program."
            : "Every face found counts with the IoU of its detection, so that tight boxes score higher.";
    drawings.push_back(
        {"roc_continuous", "Continuous ROC",
         continuous + end_point + band + published(true) +
             floor_note(rate_floor(evaluations, &RocPoint::continuous_rate)),
         roc_script(evaluations, names, &RocPoint::continuous_rate, "Summed IoU / faces", references),
         roc_rows(true)});
    drawings.push_back(
        {"precision_recall", "Precision and recall",
         "Share of the detections that are faces, against the share of the faces that are found." + band +
             note_of_cut_bands(evaluations),
         precision_recall_script(evaluations, names), rows});
    const DetectionProtocol protocol = evaluations[0].options.protocol;
    if (protocol == DetectionProtocol::uiuc || protocol == DetectionProtocol::uiuc_scale) {
        drawings.push_back(
            {"recall_false_share", "Recall over 1 - precision",
             "Share of the objects that are found, against the share of false detections among "
             "all, as the score threshold falls. On the dashed line recall equals precision." +
                 end_point,
             recall_false_share_script(evaluations, names), rows});
    }
    std::string histogram_caption = "How well the boxes of found faces fit; missed faces stand on the left.";
    if (crowded) {
        histogram_caption += " All rows have the same scale: the tallest bar is " +
                             number_of(tallest_bin(evaluations), "face") + ".";
    }
    if (evaluations[0].options.protocol == DetectionProtocol::iou) {
        histogram_caption += " The dashed line is the threshold of a hit, " +
                             compact(evaluations[0].options.iou_threshold) + ".";
    }
    // Rows have their names beside them.
    drawings.push_back(
        {"iou_histogram", "Fit of the boxes (IoU)", histogram_caption,
         crowded ? iou_rows_script(evaluations, names) : iou_histogram_script(evaluations, names),
         crowded ? 0 : rows});
    if (!filled_slices(evaluations[0].by_faces_in_image).empty()) {
        drawings.push_back({"rate_by_faces_in_image", "Detection rate by faces in the image",
                            "From portraits to crowds." + whiskers,
                            slice_script(evaluations, names, &DetectionEvaluation::by_faces_in_image,
                                         count_range, "Faces in the image"),
                            rows});
    }
    if (!filled_slices(evaluations[0].by_face_width).empty()) {
        drawings.push_back({"rate_by_face_width", "Detection rate by face width",
                            "Which sizes of face are found." + whiskers,
                            slice_script(evaluations, names, &DetectionEvaluation::by_face_width, width_range,
                                         "Face width in pixels"),
                            rows});
    }
    std::vector<DrawnPlot> plots(drawings.size());
    tbb::parallel_for(std::size_t{0}, drawings.size(), [&](std::size_t i) {
        const Drawing& drawing = drawings[i];
        // The page's legend names the detectors, not what was published.
        const auto draw = drawing.key_rows > rows ? draw_plot_with_key : draw_plot;
        plots[i] =
            draw(drawing.stem, drawing.title, drawing.caption, drawing.script, drawing.key_rows, false);
    });
    return plots;
}

}  // namespace fovea::report
