#include "lib/report/detection/page_errors.hpp"

#include <algorithm>

#include "lib/core/text.hpp"
#include "lib/report/detection/analysis_plots.hpp"
#include "lib/report/html/format.hpp"
#include "lib/report/html/html.hpp"
#include "lib/report/page/page_parts.hpp"

namespace fovea::report {
namespace {

constexpr std::size_t max_worst_images = 20;  // the others are in report.json

std::string rate_interval(const std::optional<Interval>& ci) {
    return ci ? small_line(percent_range(*ci)) : "";
}

HtmlCell rate_of_faces(const std::optional<double>& rate, const std::optional<Interval>& ci) {
    if (!rate) return {"–", "-1"};
    return {escape_html(percent(*rate)) + rate_interval(ci), shortest_number(*rate)};
}

HtmlCell points_gained(const Number& delta) {
    if (!delta.value) return {"–", "-1"};
    std::string html = fixed(100 * *delta.value, 1);
    if (delta.ci95)
        html += small_line(fixed(100 * (*delta.ci95)[0], 1) + "–" + fixed(100 * (*delta.ci95)[1], 1));
    return {html, shortest_number(*delta.value)};
}

std::string chart_of(const std::vector<DrawnPlot>& plots, const std::string& stem) {
    for (const DrawnPlot& plot : plots) {
        if (plot.stem == stem) return chart(plot);
    }
    return {};
}

std::string beside(const std::string& text, const std::string& figure) {
    if (figure.empty()) return text;
    return "<div class=\"columns beside\">\n<div>" + text + "</div>\n<div>" + figure + "</div></div>\n";
}

std::string paragraph(const std::string& text) {
    return "<p class=\"note\">" + escape_html(text) + "</p>\n";
}

/// A section that tells about one detector at a time: folded, the first open; as it is if there is only one.
template <class Content>
std::string each_folded(const DetectorAnalyses& of, Content&& content) {
    std::string html;
    bool is_first = true;
    for (std::size_t i = 0; i < of.analyses.size(); ++i) {
        const std::string own = content(i);
        if (own.empty()) continue;
        html += of.analyses.size() == 1 ? own : folded(of.names[i], own, is_first);
        is_first = false;
    }
    return html;
}

/// "Errors of mct": a caption that says whose numbers a table holds, where there are several detectors.
std::string caption_of(const DetectorAnalyses& of, const std::string& what, std::size_t detector) {
    return of.analyses.size() == 1 ? what : what + " of " + of.names[detector];
}

bool has_errors(const ErrorBreakdown& errors) {
    return errors.false_positives > 0 || errors.faces_not_found > 0;
}

/// "other" is a kind for protocols that count otherwise.
bool is_shown(const ErrorShare& error) {
    return error.count > 0 || error.error != DetectionError::other;
}

std::string errors_of(const DetectorAnalyses& of, std::size_t detector) {
    const ErrorBreakdown& errors = of.analyses[detector].errors;
    if (!has_errors(errors)) return {};
    std::vector<HtmlRow> rows;
    for (const ErrorShare& error : errors.errors) {
        if (!is_shown(error)) continue;
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
                        rows, false, caption_of(of, "Errors by kind", detector)),
                  chart_of(of.plots, analysis_stem("error_delta_ap", detector))) +
           paragraph("With " + kept + ". After TIDE (Bolya et al., ECCV 2020). " + covered +
                     "Gains of different kinds do not add up.");
}

/// The numbers of all detectors side by side, a row each.
std::string errors_compared(const DetectorAnalyses& of) {
    std::vector<HtmlColumn> columns{{"Detector", false}};
    const std::vector<ErrorShare>& kinds = of.analyses[0].errors.errors;
    std::vector<std::size_t> shown;
    for (std::size_t k = 0; k < kinds.size(); ++k) {
        const bool any = std::any_of(of.analyses.begin(), of.analyses.end(), [k](const auto& analysis) {
            return k < analysis.errors.errors.size() && is_shown(analysis.errors.errors[k]);
        });
        if (!any) continue;
        shown.push_back(k);
        columns.push_back({error_name(kinds[k].error), true, kinds[k].definition});
    }
    columns.push_back({"All false positives"});
    columns.push_back({"All faces not found"});
    const auto cell = [](long long count, const Number& gained) {
        const std::string points = gained.value ? fixed(100 * *gained.value, 1) : "–";
        return HtmlCell{grouped(count) + small_line("AP +" + points), std::to_string(count)};
    };
    std::vector<HtmlRow> rows;
    for (std::size_t i = 0; i < of.analyses.size(); ++i) {
        const ErrorBreakdown& errors = of.analyses[i].errors;
        HtmlRow row{{series_name(of.names, i), of.names[i]}};
        for (const std::size_t k : shown) {
            row.push_back(k < errors.errors.size() ? cell(errors.errors[k].count, errors.errors[k].delta_ap)
                                                   : HtmlCell{"–", "-1"});
        }
        row.push_back(cell(errors.false_positives, errors.delta_ap_all_false_positives));
        row.push_back(cell(errors.faces_not_found, errors.delta_ap_all_faces_not_found));
        rows.push_back(std::move(row));
    }
    return table(columns, rows, true, "Errors of all detectors by kind") +
           "<p class=\"note below\">Small: points of 100 that average precision gains if all errors of this "
           "kind "
           "were put right.</p>\n";
}

std::string error_section(const DetectorAnalyses& of) {
    const bool any = std::any_of(of.analyses.begin(), of.analyses.end(),
                                 [](const auto& analysis) { return has_errors(analysis.errors); });
    if (!any) return {};
    return (of.analyses.size() > 1 ? errors_compared(of) : "") +
           each_folded(of, [&](std::size_t i) { return errors_of(of, i); });
}

std::string shown(const std::optional<double>& value, std::string (*text)(double)) {
    return value ? escape_html(text(*value)) : "–";
}

HtmlRow confusion_row(const std::string& what, const ConfusionCounts& counts, bool has_true_negatives) {
    return {{what},
            {grouped(counts.true_positives)},
            {grouped(counts.false_positives)},
            {has_true_negatives ? grouped(counts.true_negatives) : "–"},
            {grouped(counts.false_negatives)},
            {shown(counts.accuracy(), percent)},
            {shown(counts.precision(), percent)},
            {shown(counts.recall(), percent)},
            {shown(counts.f1(), three_decimals)}};
}

std::string kept_at(const OperatingPoint& point) {
    return point.threshold ? "score of at least " + compact(*point.threshold)
                           : std::string("no detection is kept");
}

std::vector<HtmlColumn> confusion_columns(const std::string& first) {
    return {{first, false}, {"TP"}, {"FP"}, {"TN"}, {"FN"}, {"Accuracy"}, {"Precision"}, {"Recall"}, {"F1"}};
}

std::string confusion_section(const DetectorAnalyses& of) {
    const OperatingPoint& first = of.analyses[0].operating_point;
    const std::string rules =
        "A detector has no countable true negatives among windows, so the accuracy of faces and detections "
        "is TP / (TP + FP + FN). Whole images are counted as in Andargie 2019, table 5.2. "
        "An image with faces is TP if a face in it is found, else FN. An image without faces is FP if "
        "anything is detected in it, else TN.";
    if (of.analyses.size() == 1) {
        return table(confusion_columns("Counted"),
                     {confusion_row("faces and detections", first.detections, false),
                      confusion_row("whole images", first.images, true)},
                     false, "Confusion counts") +
               paragraph("At " + describe(first.choice) + ": " + kept_at(first) + ". " + rules);
    }
    std::vector<HtmlRow> detections;
    std::vector<HtmlRow> images;
    for (std::size_t i = 0; i < of.analyses.size(); ++i) {
        const OperatingPoint& point = of.analyses[i].operating_point;
        const std::string name = series_name(of.names, i);
        detections.push_back(
            confusion_row(name + small_line(escape_html(kept_at(point))), point.detections, false));
        images.push_back(confusion_row(name, point.images, true));
        detections.back()[0].sort_key = images.back()[0].sort_key = of.names[i];
    }
    return table(confusion_columns("Detector"), detections, false,
                 "Confusion counts of faces and detections") +
           "<p class=\"note below\"></p>" +
           table(confusion_columns("Detector"), images, false, "Confusion counts of whole images") +
           paragraph("At " + describe(first.choice) + " of each detector. " + rules);
}

std::string false_positives_of(const Slice& slice) {
    const std::optional<Interval>& ci = slice.false_positives_per_image_ci95;
    return fixed(*slice.false_positives_per_image, 2) +
           (ci ? small_line(fixed((*ci)[0], 2) + "–" + fixed((*ci)[1], 2)) : "");
}

std::string group_html(const SliceGroup& group, const std::vector<HtmlColumn>& columns,
                       const std::vector<HtmlRow>& rows) {
    return "<div><h3>" + escape_html(group.title) + "</h3>\n" + table(columns, rows, true) +
           "<p class=\"note below\">" + escape_html(group.what) + "</p></div>\n";
}

std::string slice_group_table(const SliceGroup& group) {
    std::vector<HtmlColumn> columns{
        {group.title, false}, {"Images"}, {"Faces"}, {"Found"}, {"Detection rate"}};
    if (group.of_images) columns.push_back({"FP per image"});
    std::vector<HtmlRow> rows;
    for (const Slice& slice : group.slices) {
        rows.push_back({{escape_html(slice.label)},
                        {grouped(slice.images)},
                        {grouped(slice.faces)},
                        {grouped(slice.found)},
                        rate_of_faces(slice.detection_rate, slice.detection_rate_ci95)});
        if (!group.of_images) continue;
        rows.back().push_back({false_positives_of(slice), shortest_number(*slice.false_positives_per_image)});
    }
    return group_html(group, columns, rows);
}

const Slice* find_slice(const DetectionAnalysis& analysis, const std::string& key, const std::string& label) {
    for (const SliceGroup& group : analysis.slices) {
        if (group.key != key) continue;
        for (const Slice& slice : group.slices) {
            if (slice.label == label) return &slice;
        }
    }
    return nullptr;
}

/// The group's slices of all detectors, a column each; the best of a row stands out.
std::string compared_group_table(const DetectorAnalyses& of, const SliceGroup& group) {
    std::vector<HtmlColumn> columns{{group.title, false}, {"Images"}, {"Faces"}};
    for (const std::string& name : of.names) columns.push_back({shortened(name, 36), true, name});
    std::vector<HtmlRow> rows;
    for (const Slice& slice : group.slices) {
        HtmlRow row{{escape_html(slice.label)}, {grouped(slice.images)}, {grouped(slice.faces)}};
        std::string best;
        double most = 0;
        for (const DetectionAnalysis& analysis : of.analyses) {
            const Slice* own = find_slice(analysis, group.key, slice.label);
            if (own == nullptr || !own->detection_rate || *own->detection_rate <= most) continue;
            most = *own->detection_rate;
            best = percent(most);
        }
        for (const DetectionAnalysis& analysis : of.analyses) {
            const Slice* own = find_slice(analysis, group.key, slice.label);
            if (own == nullptr) {
                row.push_back({"–", "-1"});
                continue;
            }
            row.push_back(rate_of_faces(own->detection_rate, own->detection_rate_ci95));
            row.back().best = own->detection_rate && percent(*own->detection_rate) == best;
            if (own->false_positives_per_image) {
                row.back().html += small_line(fixed(*own->false_positives_per_image, 2) + " FP per image");
            }
        }
        rows.push_back(std::move(row));
    }
    return group_html(group, columns, rows);
}

std::string condition_section(const DetectorAnalyses& of) {
    const std::vector<SliceGroup>& groups = of.analyses[0].slices;
    if (groups.empty()) return {};
    const bool is_single = of.analyses.size() == 1;
    std::string html;
    for (const SliceGroup& group : groups) {
        html += is_single ? slice_group_table(group) : compared_group_table(of, group);
    }
    if (of.analyses.size() <= 2) html = "<div class=\"columns\">\n" + html + "</div>\n";
    return html +
           paragraph(
               "With every detection kept. The small numbers are 95 % intervals (bootstrap over images; "
               "Wilson's where all resamples agree).");
}

std::string scores_of(const DetectorAnalyses& of, std::size_t detector) {
    const ScoreCalibration& calibration = of.analyses[detector].calibration;
    if (calibration.bins.empty()) return {};
    std::vector<HtmlRow> rows;
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
    return beside(table({{"Scores", false}, {"Detections"}, {"Mean score"}, {"Precision"}}, rows, false,
                        caption_of(of, "Precision by score", detector)),
                  chart_of(of.plots, analysis_stem("reliability", detector))) +
           paragraph(errors);
}

std::string fit_section(const DetectorAnalyses& of) {
    constexpr std::size_t step = 10;  // a tenth of IoU; shares come by hundredths
    std::vector<HtmlColumn> columns{{"IoU of at least", false}};
    for (const std::string& name : of.names) {
        columns.push_back(of.analyses.size() == 1 ? HtmlColumn{"Faces"}
                                                  : HtmlColumn{shortened(name, 36), true, name});
    }
    std::vector<HtmlRow> rows;
    const std::vector<IouShare>& first = of.analyses[0].iou_shares;
    for (std::size_t i = 3 * step; i < first.size(); i += step) {
        HtmlRow row{{fixed(first[i].iou, 1)}};
        for (const DetectionAnalysis& analysis : of.analyses) {
            const bool has_share = i < analysis.iou_shares.size();
            row.push_back({has_share ? escape_html(percent(analysis.iou_shares[i].share)) : "–"});
        }
        rows.push_back(std::move(row));
    }
    if (rows.empty()) return {};
    std::string pairing;
    for (std::size_t i = 0; i < of.analyses.size(); ++i) {
        const std::string sentence = ambiguity_sentence(of.analyses[i].ambiguity);
        pairing += of.analyses.size() == 1 ? paragraph(sentence) : definition(of.names[i], sentence);
    }
    const std::string shares =
        table(columns, rows, false, "Share of the faces by the IoU of their best boxes");
    const std::string plot = chart_of(of.plots, "iou_cumulative");
    if (of.analyses.size() == 1) return beside(shares + pairing, plot);
    constexpr std::size_t most_beside = 3;
    const std::string both = of.analyses.size() <= most_beside
                                 ? beside(shares, plot)
                                 : shares + "<div class=\"columns charts below\">" + plot + "</div>\n";
    return plot_legend(of.names) + both +
           folded("How much the way of pairing decides", "<dl>" + pairing + "</dl>\n");
}

std::string worst_images_of(const Dataset& dataset, const DetectorAnalyses& of, std::size_t detector) {
    const std::vector<WorstImage>& images = of.analyses[detector].worst_images;
    if (images.empty()) return {};
    std::vector<HtmlRow> rows;
    for (std::size_t i = 0; i < std::min(images.size(), max_worst_images); ++i) {
        const WorstImage& image = images[i];
        rows.push_back(
            {{"<span class=\"name\">" + breakable(dataset.samples.at(image.sample).image) + "</span>"},
             {grouped(image.errors())},
             {grouped(image.misses)},
             {grouped(image.false_positives)},
             {grouped(image.faces)}});
    }
    return table({{"Image", false}, {"Errors"}, {"Faces missed"}, {"False positives"}, {"Faces"}}, rows, true,
                 caption_of(of, "Images with most errors", detector)) +
           paragraph("At " + describe(of.analyses[detector].operating_point.choice) +
                     ". report.json lists more.");
}

}  // namespace

std::vector<DocumentPart> analysis_parts(const Dataset& dataset, const DetectorAnalyses& of) {
    return {{"errors", "Errors", error_section(of)},
            {"confusion", "Confusion counts", confusion_section(of)},
            {"conditions", "Conditions", condition_section(of)},
            {"reliability", "Scores", each_folded(of, [&](std::size_t i) { return scores_of(of, i); })},
            {"fit", "Fit of boxes", fit_section(of)},
            {"worst", "Worst images",
             each_folded(of, [&](std::size_t i) { return worst_images_of(dataset, of, i); })}};
}

}  // namespace fovea::report
