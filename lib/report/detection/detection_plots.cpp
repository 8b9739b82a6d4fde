#include "lib/report/detection/detection_plots.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <tuple>

#include <spdlog/fmt/fmt.h>

#include "lib/core/text.hpp"
#include "lib/report/model/names.hpp"

namespace fovea::report {
namespace {

using Evaluations = std::vector<DetectionEvaluation>;
using Names = std::vector<std::string>;

bool is_few(const Evaluations& evaluations) {
    return are_few(evaluations.size());
}

std::string note_of_none(const Evaluations& evaluations) {
    const bool is_none = std::all_of(evaluations.begin(), evaluations.end(),
                                     [](const DetectionEvaluation& e) { return e.roc.empty(); });
    return is_none ? "no detections" : "";
}

/// The state with every detection kept, as a dot.
Series end_of(const Series& curve) {
    Series end = curve;
    end.name.clear();
    end.detail.clear();
    end.band.clear();
    end.mark = Mark::dots;
    if (!curve.points.empty()) end.points = {curve.points.back()};
    return end;
}

void add_curve(Plot& plot, Series curve) {
    Series end = end_of(curve);
    plot.series.push_back(std::move(curve));
    if (!end.points.empty()) plot.series.push_back(std::move(end));
}

// --- ROC -------------------------------------------------------------------------------------------

/// Numbers of false positives run from 0 to thousands: beyond a few dozen the axis shows 0 and still spreads
/// the small numbers.
Axis false_positive_axis(const Evaluations& evaluations) {
    int most = 1;
    for (const DetectionEvaluation& evaluation : evaluations) {
        for (const RocPoint& point : evaluation.roc) most = std::max(most, point.false_positives);
    }
    Axis axis{.label = "False positives in all images", .min = 0};
    const bool is_long = most > 30;
    if (is_long) axis.scale = Scale::log1p;
    axis.max = is_long ? std::pow(1.0 + most, 1.02) - 1 : most * 1.03;
    return axis;
}

/// The beginning of the axis of rates. Curves of several good detectors crowd together at the top of an axis
/// from 0: it then begins at least 10 % below where each of them is at 10 false positives.
double rate_floor(const Evaluations& evaluations, double RocPoint::*rate) {
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
    return floor < 30 ? 0 : floor / 100.0;
}

/// The points by rising false positives, as far as the axis goes.
Series reference_series(const ReferenceCurve& reference, double most) {
    Series series{.name = reference.name, .is_reference = true};
    for (std::size_t i = 0; i < reference.rates.size(); ++i) {
        if (reference.false_positives[i] <= most)
            series.points.push_back({reference.false_positives[i], reference.rates[i]});
    }
    std::sort(series.points.begin(), series.points.end(),
              [](const PlotPoint& a, const PlotPoint& b) { return std::tie(a.x, a.y) < std::tie(b.x, b.y); });
    return series;
}

/// A discrete ROC or a continuous one.
struct RocKind {
    const char* stem;
    const char* title;
    const char* y_label;
    double RocPoint::*rate;
    std::vector<BandPoint> DetectionEvaluation::*band;
    bool is_continuous;
};

Plot roc_plot(const Evaluations& evaluations, const Names& names, const RocKind& kind, std::string caption,
              const std::vector<ReferenceCurve>& references) {
    Plot plot{kind.stem, kind.title, std::move(caption)};
    plot.x = false_positive_axis(evaluations);
    plot.y = share_axis(kind.y_label);
    plot.y.min = rate_floor(evaluations, kind.rate);
    plot.empty_note = note_of_none(evaluations);
    plot.operating_x = OperatingAxis::false_positives;
    plot.operating_y = kind.is_continuous ? OperatingAxis::none : OperatingAxis::recall;
    bool has_reference = false;
    for (const ReferenceCurve& reference : references) {
        if (reference.continuous != kind.is_continuous) continue;
        plot.series.push_back(reference_series(reference, *plot.x.max));
        has_reference = true;
    }
    if (has_reference) plot.caption += " Grey: published curves.";
    if (*plot.y.min > 0)
        plot.caption += fmt::format(" The axis begins at {}\u00A0%.", std::lround(100 * *plot.y.min));
    for (std::size_t i = 0; i < evaluations.size(); ++i) {
        // A step, as the rate at N false positives is that of the strictest threshold that allows them.
        Series curve = rival_series(names, i, Mark::steps);
        std::vector<PlotPoint> points{{0, 0}};
        for (const RocPoint& point : evaluations[i].roc)
            points.push_back({static_cast<double>(point.false_positives), point.*kind.rate});
        curve.points = thinned(points, plot.x, plot.y);
        if (is_few(evaluations)) {
            for (const BandPoint& point : evaluations[i].*kind.band)
                curve.band.push_back({point.at, point.ci95[0], point.ci95[1]});
        }
        add_curve(plot, std::move(curve));
    }
    return plot;
}

// --- precision and recall --------------------------------------------------------------------------

/// More than 2.5 % of the resamples do not reach the recall, and count as precision 0.
bool is_unreached(const BandPoint& point) {
    return point.ci95[0] <= 0;
}

Plot precision_recall_plot(const Evaluations& evaluations, const Names& names, std::string caption) {
    Plot plot{"precision_recall", "Precision and recall", std::move(caption)};
    plot.x = share_axis("Recall (detection rate)");
    plot.y = share_axis("Precision");
    plot.empty_note = note_of_none(evaluations);
    plot.operating_x = OperatingAxis::recall;
    plot.operating_y = OperatingAxis::precision;
    bool is_cut = false;
    for (std::size_t i = 0; i < evaluations.size(); ++i) {
        Series curve = rival_series(names, i, Mark::line);
        // A protocol with numbers of its own has its own average precision, which is not this curve's.
        if (evaluations[i].protocol_numbers.empty())
            curve.detail = "AP " + fixed(evaluations[i].value("average_precision"), 3);
        std::vector<PlotPoint> points;
        for (const RocPoint& point : evaluations[i].roc)
            points.push_back({point.detection_rate, point.precision});
        // The strictest threshold's precision holds down to recall 0.
        if (!points.empty()) points.insert(points.begin(), PlotPoint{0, points.front().y});
        curve.points = thinned(points, 1, 1);
        for (const BandPoint& point : evaluations[i].precision_band) {
            if (!is_few(evaluations)) break;
            is_cut = is_cut || is_unreached(point);
            if (is_unreached(point)) break;
            curve.band.push_back({point.at, point.ci95[0], point.ci95[1]});
        }
        add_curve(plot, std::move(curve));
    }
    if (is_cut) plot.caption += " It ends where fewer than 97.5\u00A0% of the resamples reach the recall.";
    return plot;
}

/// Recall over 1 - precision, as papers on UIUC's cars draw it.
Plot recall_false_share_plot(const Evaluations& evaluations, const Names& names,
                             const std::string& end_point) {
    Plot plot{"recall_false_share", "Recall over 1 - precision",
              "Share of the objects that are found, against the share of false detections among all, as the "
              "score threshold falls. On the dashed line recall equals precision." +
                  end_point};
    plot.x = share_axis("1 - precision");
    plot.y = share_axis("Recall (detection rate)");
    plot.empty_note = note_of_none(evaluations);
    plot.lines.push_back({.from = std::array{0.0, 1.0}, .to = std::array{1.0, 0.0}});
    for (std::size_t i = 0; i < evaluations.size(); ++i) {
        Series curve = rival_series(names, i, Mark::line);
        for (const RocPoint& point : evaluations[i].roc) {
            // Nothing counts where only ignored objects are hit, and precision is undefined.
            if (point.true_positives + point.false_positives > 0)
                curve.points.push_back({1 - point.precision, point.detection_rate});
        }
        curve.points = thinned(curve.points, 1, 1);
        add_curve(plot, std::move(curve));
    }
    return plot;
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

int tallest_bin(const Evaluations& evaluations) {
    int most = 1;
    for (const DetectionEvaluation& evaluation : evaluations) {
        for (const int count : bins_of_found(evaluation)) most = std::max(most, count);
    }
    return most;
}

/// Faces without a detection stand apart from those matched badly.
Axis iou_axis(double missed_centre) {
    Axis axis{.label = "IoU of face and detection", .min = 1.6 * missed_centre, .max = 1};
    axis.marks.push_back({missed_centre, "missed"});
    for (const double tick : {0.0, 0.2, 0.4, 0.6, 0.8, 1.0}) axis.marks.push_back({tick, compact(tick)});
    return axis;
}

/// Bars of one detector, outlines of a few.
void add_histogram(Plot& plot, const Evaluations& evaluations, const Names& names) {
    constexpr double missed_centre = -0.1;
    constexpr double missed_half = 0.035;
    plot.x = iou_axis(missed_centre);
    plot.y = {.label = "Faces", .min = 0};
    const std::size_t n = evaluations.size();
    const double slot = 2 * missed_half / static_cast<double>(n);
    for (std::size_t i = 0; i < n; ++i) {
        const std::vector<int> bins = bins_of_found(evaluations[i]);
        const double width = bins.empty() ? 1 : 1.0 / static_cast<double>(bins.size());
        Series series = rival_series(names, i, n == 1 ? Mark::bars : Mark::steps);
        Series missed = rival_series(names, i, Mark::bars);
        missed.name.clear();
        missed.width = 0.9 * slot;
        if (n == 1) {
            series.width = 0.88 * width;
            missed.tone = Tone::muted;
        }
        for (std::size_t b = 0; b < bins.size(); ++b) {
            const double left = static_cast<double>(b) * width;
            series.points.push_back({n == 1 ? left + width / 2 : left, static_cast<double>(bins[b])});
        }
        if (n > 1 && !bins.empty()) series.points.push_back({1, static_cast<double>(bins.back())});
        missed.points.push_back({missed_centre - missed_half + slot * (static_cast<double>(i) + 0.5),
                                 static_cast<double>(missed_faces(evaluations[i])), no_value, no_value,
                                 "missed"});
        plot.series.push_back(std::move(series));
        plot.series.push_back(std::move(missed));
    }
}

/// A histogram for each detector in a row of its own, all in one scale: the outlines of many over one another
/// cannot be read. The number of missed faces is written.
void add_histogram_rows(Plot& plot, const Evaluations& evaluations, const Names& names) {
    constexpr double missed_centre = -0.17;
    constexpr double row_height = 0.86;
    constexpr std::size_t name_length = 24;
    const std::size_t n = evaluations.size();
    const double most = tallest_bin(evaluations);
    plot.x = iou_axis(missed_centre);
    plot.y = {.min = 0, .max = static_cast<double>(n)};
    for (std::size_t i = 0; i < n; ++i) {
        Series series = rival_series(names, i, Mark::rects);
        series.name.clear();
        const auto floor = static_cast<double>(n - 1 - i);
        // It stands below its detector.
        const bool follows =
            i > 0 && series.style.is_calibrated && series.style.colour == series_styles(names)[i - 1].colour;
        plot.y.marks.push_back(
            {floor + row_height / 2, follows ? "calibrated" : shortened(names[i], name_length)});
        plot.labels.push_back({missed_centre, floor + row_height / 2, grouped(missed_faces(evaluations[i]))});
        const std::vector<int> bins = bins_of_found(evaluations[i]);
        const double width = bins.empty() ? 1 : 1.0 / static_cast<double>(bins.size());
        for (std::size_t b = 0; b < bins.size(); ++b) {
            if (bins[b] == 0) continue;
            const double left = static_cast<double>(b) * width;
            series.rects.push_back({left + 0.06 * width, left + 0.94 * width, floor,
                                    floor + row_height * bins[b] / most, 1, number_of(bins[b], "face")});
        }
        plot.series.push_back(std::move(series));
    }
}

Plot histogram_plot(const Evaluations& evaluations, const Names& names) {
    Plot plot{"iou_histogram", "Fit of the boxes (IoU)",
              "How well the boxes of found faces fit; missed faces stand on the left."};
    if (is_few(evaluations)) {
        add_histogram(plot, evaluations, names);
    } else {
        add_histogram_rows(plot, evaluations, names);
        plot.caption += " All rows have the same scale: the tallest bar is " +
                        number_of(tallest_bin(evaluations), "face") + ".";
    }
    const DetectionEvaluationOptions& options = evaluations[0].options;
    if (options.protocol == DetectionProtocol::iou) {
        plot.lines.push_back({.x = options.iou_threshold});
        plot.caption += " The dashed line is the threshold of a hit, " + compact(options.iou_threshold) + ".";
    }
    return plot;
}

}  // namespace

std::vector<std::string> display_names(const Evaluations& evaluations) {
    std::vector<std::string> given;
    for (const DetectionEvaluation& evaluation : evaluations) given.push_back(evaluation.name);
    return unique_names(given, "detector");
}

bool are_few(std::size_t detectors) {
    return detectors <= 3;
}

std::vector<Plot> detection_plots(const Evaluations& evaluations, const Names& names,
                                  const std::vector<ReferenceCurve>& references) {
    const DetectionProtocol protocol = evaluations[0].options.protocol;
    const std::string end_point = evaluations.size() > 1
                                      ? " Each dot is its detector with every detection kept."
                                      : " The dot is the detector with every detection kept.";
    std::string band;
    if (!evaluations[0].roc_band.empty()) {
        band = is_few(evaluations)
                   ? " The area is the 95\u00A0% interval (bootstrap)."
                   : " Intervals of more than three detectors would hide the curves: they are "
                     "in the tables and in report.json.";
    }
    const RocKind discrete{
        "roc", "Discrete ROC", "Detection rate", &RocPoint::detection_rate, &DetectionEvaluation::roc_band,
        false};
    const RocKind continuous{"roc_continuous",
                             "Continuous ROC",
                             "Summed IoU / faces",
                             &RocPoint::continuous_rate,
                             &DetectionEvaluation::continuous_band,
                             true};
    const std::string continuous_caption =
        protocol == DetectionProtocol::fddb
            ? "Every pair of a face and a detection counts with its IoU, hit or not, as in FDDB's program."
            : "Every face found counts with the IoU of its detection, so that tight boxes score higher.";
    std::vector<Plot> plots{
        roc_plot(evaluations, names, discrete,
                 "Faces found against false positives, as the score threshold falls." + end_point + band,
                 references),
        roc_plot(evaluations, names, continuous, continuous_caption + end_point + band, references),
        precision_recall_plot(evaluations, names,
                              "Share of the detections that are faces, against the share of the faces that "
                              "are found." +
                                  band)};
    if (protocol == DetectionProtocol::uiuc || protocol == DetectionProtocol::uiuc_scale)
        plots.push_back(recall_false_share_plot(evaluations, names, end_point));
    plots.push_back(histogram_plot(evaluations, names));
    return plots;
}

}  // namespace fovea::report
