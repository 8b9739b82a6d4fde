#include "lib/report/detection/page_errors.hpp"

#include <algorithm>

#include "lib/core/text.hpp"
#include "lib/report/html/format.hpp"
#include "lib/report/html/html.hpp"

namespace fovea::report {
namespace {

constexpr std::size_t max_worst_images = 20;  // the others are in report.json

std::string rate_interval(const std::optional<Interval>& ci) {
    return ci ? small_line(percent_range(*ci)) : "";
}

Cell rate_of_faces(const std::optional<double>& rate, const std::optional<Interval>& ci) {
    if (!rate) return {"–", "-1"};
    return {escape_html(percent(*rate)) + rate_interval(ci), shortest_number(*rate)};
}

Cell points_gained(const Estimate& delta) {
    if (!delta.value) return {"–", "-1"};
    std::string html = fixed(100 * *delta.value, 1);
    if (delta.ci95)
        html += small_line(fixed(100 * (*delta.ci95)[0], 1) + "–" + fixed(100 * (*delta.ci95)[1], 1));
    return {html, shortest_number(*delta.value)};
}

std::string chart_of(const std::vector<Plot>& plots, const std::string& stem) {
    for (const Plot& plot : plots) {
        if (plot.stem == stem) return chart(plot);
    }
    return {};
}

std::string beside(const std::string& text, const std::string& figure) {
    if (figure.empty()) return text;
    return "<div class=\"columns\">\n<div>" + text + "</div>\n<div>" + figure + "</div></div>\n";
}

std::string paragraph(const std::string& text) {
    return "<p class=\"note\">" + escape_html(text) + "</p>\n";
}

std::string error_section(const ErrorBreakdown& errors, const std::vector<Plot>& plots) {
    if (errors.false_positives == 0 && errors.faces_not_found == 0) return {};
    std::vector<Row> rows;
    for (const ErrorShare& error : errors.errors) {
        if (error.count == 0 && error.error == DetectionError::other) continue;
        rows.push_back({{escape_html(error_name(error.error)) + small_line(escape_html(error.definition))},
                        {grouped(error.count)},
                        rate_of_faces(error.share.value, error.share.ci95),
                        points_gained(error.delta_ap)});
        rows.back()[0].html = "<span class=\"name\">" + rows.back()[0].html + "</span>";
    }
    rows.push_back({{"all false positives"},
                    {grouped(errors.false_positives)},
                    {"–"},
                    points_gained(errors.delta_ap_all_false_positives)});
    rows.push_back({{"all faces not found"},
                    {grouped(errors.faces_not_found)},
                    {"–"},
                    points_gained(errors.delta_ap_all_faces_not_found)});
    const std::string kept = errors.threshold
                                 ? "detections with a score of at least " + compact(*errors.threshold)
                                 : std::string("every detection kept");
    const std::string covered = errors.faces_covered == 0
                                    ? ""
                                    : "Faces that a localisation error overlaps best (" +
                                          grouped(errors.faces_covered) +
                                          " of those not found) are that error's, not missed. ";
    return beside(table({{"Error", false},
                         {"Number"},
                         {"Share", true, "Part of all false positives and missed faces"},
                         {"AP gained", true, "Points of 100 once these are put right, one kind at a time"}},
                        rows),
                  chart_of(plots, "error_delta_ap")) +
           paragraph("With " + kept + ". After TIDE (Bolya et al., ECCV 2020). " + covered +
                     "Gains of different kinds do not add up.");
}

std::string shown(const std::optional<double>& value, std::string (*text)(double)) {
    return value ? escape_html(text(*value)) : "–";
}

Row confusion_row(const std::string& what, const ConfusionCounts& counts, bool has_true_negatives) {
    return {{escape_html(what)},
            {grouped(counts.true_positives)},
            {grouped(counts.false_positives)},
            {has_true_negatives ? grouped(counts.true_negatives) : "–"},
            {grouped(counts.false_negatives)},
            {shown(counts.accuracy(), percent)},
            {shown(counts.precision(), percent)},
            {shown(counts.recall(), percent)},
            {shown(counts.f1(), three_decimals)}};
}

std::string confusion_section(const OperatingPoint& point) {
    const std::string kept = point.threshold ? "score of at least " + compact(*point.threshold)
                                             : std::string("no detection is kept");
    return table({{"Counted", false},
                  {"TP"},
                  {"FP"},
                  {"TN"},
                  {"FN"},
                  {"Accuracy"},
                  {"Precision"},
                  {"Recall"},
                  {"F1"}},
                 {confusion_row("faces and detections", point.detections, false),
                  confusion_row("whole images", point.images, true)}) +
           paragraph(
               "At " + describe(point.choice) + ": " + kept +
               ". A detector has no countable true negatives among windows, so the accuracy of the first "
               "row is TP / (TP + FP + FN). Whole images are counted as in Andargie 2019, table 5.2. An "
               "image with faces is TP if a face in it is found, else FN. An image without faces is FP if "
               "anything is detected in it, else TN.");
}

std::string slice_group_table(const SliceGroup& group) {
    std::vector<Column> columns{{group.title, false}, {"Images"}, {"Faces"}, {"Found"}, {"Detection rate"}};
    if (group.of_images) columns.push_back({"FP per image"});
    std::vector<Row> rows;
    for (const Slice& slice : group.slices) {
        rows.push_back({{escape_html(slice.label)},
                        {grouped(slice.images)},
                        {grouped(slice.faces)},
                        {grouped(slice.found)},
                        rate_of_faces(slice.detection_rate, slice.detection_rate_ci95)});
        if (!group.of_images) continue;
        const std::optional<Interval>& ci = slice.false_positives_per_image_ci95;
        rows.back().push_back({fixed(*slice.false_positives_per_image, 2) +
                                   (ci ? small_line(fixed((*ci)[0], 2) + "–" + fixed((*ci)[1], 2)) : ""),
                               shortest_number(*slice.false_positives_per_image)});
    }
    return "<div><h3>" + escape_html(group.title) + "</h3>\n" + table(columns, rows, true) +
           "<p class=\"note below\">" + escape_html(group.what) + "</p></div>\n";
}

std::string condition_section(const std::vector<SliceGroup>& groups) {
    if (groups.empty()) return {};
    std::string html = "<div class=\"columns\">\n";
    for (const SliceGroup& group : groups) html += slice_group_table(group);
    return html + "</div>\n" +
           paragraph(
               "With every detection kept. The small numbers are 95 % intervals (bootstrap over images).");
}

std::string calibration_section(const ScoreCalibration& calibration, const std::vector<Plot>& plots) {
    if (calibration.bins.empty()) return {};
    std::vector<Row> rows;
    for (const ReliabilityBin& bin : calibration.bins) {
        rows.push_back({{compact(bin.lowest_score) + "–" + compact(bin.highest_score)},
                        {grouped(bin.detections)},
                        {compact(bin.mean_score)},
                        rate_of_faces(bin.precision, bin.wilson_ci95)});
    }
    std::string errors;
    const auto say = [&](const std::optional<double>& error, const std::optional<double>& brier,
                         const std::string& of_what) {
        if (error && brier) {
            errors += "Expected calibration error " + fixed(*error, 3) + ", Brier score " + fixed(*brier, 3) +
                      " of " + of_what + ". ";
        }
    };
    say(calibration.expected_calibration_error, calibration.brier_score, "the scores as they are");
    say(calibration.calibrated_expected_calibration_error, calibration.calibrated_brier_score,
        "scores mapped by isotonic regression learned on other images (ten folds)");
    if (!calibration.scores_are_rates)
        errors += "The scores do not lie in 0–1, so they are no probabilities as such.";
    return beside(table({{"Scores", false}, {"Detections"}, {"Mean score"}, {"Precision"}}, rows),
                  chart_of(plots, "reliability")) +
           paragraph(errors);
}

std::string fit_section(const std::vector<IouShare>& shares, const MatchingAmbiguity& ambiguity,
                        const std::vector<Plot>& plots) {
    constexpr std::size_t step = 10;  // a tenth of IoU; shares come by hundredths
    std::vector<Row> rows;
    for (std::size_t i = 3 * step; i < shares.size(); i += step) {
        rows.push_back({{fixed(shares[i].iou, 1)}, {escape_html(percent(shares[i].share))}});
    }
    if (rows.empty()) return {};
    return beside(
        table({{"IoU of at least", false}, {"Faces"}}, rows) + paragraph(ambiguity_sentence(ambiguity)),
        chart_of(plots, "iou_cumulative"));
}

std::string worst_section(const Dataset& dataset, const std::vector<WorstImage>& images,
                          const OperatingPoint& point) {
    if (images.empty()) return {};
    std::vector<Row> rows;
    for (std::size_t i = 0; i < std::min(images.size(), max_worst_images); ++i) {
        const WorstImage& image = images[i];
        rows.push_back(
            {{"<span class=\"name\">" + breakable(dataset.samples.at(image.sample).image) + "</span>"},
             {grouped(image.errors())},
             {grouped(image.misses)},
             {grouped(image.false_positives)},
             {grouped(image.faces)}});
    }
    return table({{"Image", false}, {"Errors"}, {"Faces missed"}, {"False positives"}, {"Faces"}}, rows,
                 true) +
           paragraph("At " + describe(point.choice) + ". report.json lists more.");
}

}  // namespace

std::vector<DocumentPart> analysis_parts(const Dataset& dataset, const DetectionAnalysis& analysis,
                                         const std::vector<Plot>& plots, const std::string& detector) {
    const std::string of = detector.empty() ? "" : " of " + detector;
    return {{"errors", "Errors" + of, error_section(analysis.errors, plots)},
            {"confusion", "Confusion counts" + of, confusion_section(analysis.operating_point)},
            {"conditions", "Conditions" + of, condition_section(analysis.slices)},
            {"reliability", "Scores" + of, calibration_section(analysis.calibration, plots)},
            {"fit", "Fit of boxes" + of, fit_section(analysis.iou_shares, analysis.ambiguity, plots)},
            {"worst", "Worst images" + of,
             worst_section(dataset, analysis.worst_images, analysis.operating_point)}};
}

}  // namespace fovea::report
