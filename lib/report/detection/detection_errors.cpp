#include <algorithm>

#include "lib/core/text.hpp"
#include "lib/report/detection/analysis_plots.hpp"
#include "lib/report/detection/detection_content.hpp"
#include "lib/report/detection/operating_tallies.hpp"

namespace fovea::report {
namespace {

Cell rate_cell(const std::optional<double>& rate, const std::optional<Interval>& ci) {
    return number_cell({{"", "", "", Better::higher, Unit::share}, rate, ci});
}

/// Average precision gained, in points of 100.
Cell points_cell(const Number& delta) {
    Number points{delta.quantity, delta.value, delta.ci95};
    points.quantity.unit = Unit::number;
    points.quantity.better = Better::neither;
    if (points.value) *points.value *= 100;
    if (points.ci95) points.ci95 = Interval{100 * (*points.ci95)[0], 100 * (*points.ci95)[1]};
    return number_cell(points, {1, 1});
}

/// A section that tells about one detector at a time. \param add what one detector has to its section
template <class Add>
Section each_folded(const DetectorsCompared& of, const std::string& id, const std::string& title, Add&& add) {
    std::vector<Section> of_each(of.analyses.size());
    for (std::size_t i = 0; i < of_each.size(); ++i) add(i, of_each[i]);
    Section section{id, title};
    add_by_rival(section, of.names, std::move(of_each));
    return section;
}

/// "Errors of mct": a title that says whose numbers a table holds, where there are several detectors.
std::string title_of(const DetectorsCompared& of, const std::string& what, std::size_t detector) {
    return of.is_single() ? what : what + " of " + of.names[detector];
}

Paragraph note(std::string text) {
    return {std::move(text), true};
}

// --- kinds of errors ---------------------------------------------------------------------------------

bool has_errors(const ErrorBreakdown& errors) {
    return errors.false_positives > 0 || errors.faces_not_found > 0;
}

/// "other" is a kind for protocols that count otherwise.
bool is_shown(const ErrorShare& error) {
    return error.count > 0 || error.error != DetectionError::other;
}

void add_errors(const DetectorsCompared& of, std::size_t detector, Section& section) {
    const ErrorBreakdown& errors = of.analyses[detector].errors;
    if (!has_errors(errors)) return;
    Table table{.title = title_of(of, "Errors by kind", detector),
                .columns = {words("Error"),
                            {"Number"},
                            {"Share", "Part of all false positives and missed faces"},
                            {"AP gained", "Points of 100 once these are put right, one kind at a time"}}};
    for (const ErrorShare& error : errors.errors) {
        if (!is_shown(error)) continue;
        Cell name(error_name(error.error));
        name.notes = {error.definition};
        table.rows.push_back({name, count_cell(error.count), rate_cell(error.share.value, error.share.ci95),
                              points_cell(error.delta_ap)});
    }
    table.rows.push_back({"all false positives", count_cell(errors.false_positives), "–",
                          points_cell(errors.delta_ap_all_false_positives)});
    table.rows.push_back({"all faces not found", count_cell(errors.faces_not_found), "–",
                          points_cell(errors.delta_ap_all_faces_not_found)});
    section.add(std::move(table));
    section.add(error_cost_plots(of.analyses, of.names, detector));
    const std::string kept = errors.threshold
                                 ? "detections with a score of at least " + compact(*errors.threshold)
                                 : std::string("every detection kept");
    const std::string covered = errors.faces_covered == 0
                                    ? ""
                                    : "Faces that a localisation error overlaps best (" +
                                          grouped(errors.faces_covered) +
                                          " of those not found) are that error's, not missed. ";
    section.add(note("With " + kept + ". After TIDE (Bolya et al., ECCV 2020). " + covered +
                     "Gains of different kinds do not add up."));
}

/// The numbers of all detectors side by side, a row each.
Table errors_compared(const DetectorsCompared& of) {
    Table table{.title = "Errors of all detectors by kind",
                .columns = {words("Detector")},
                .is_sortable = true,
                .note =
                    "Small: points of 100 that average precision gains if all errors of this kind were put "
                    "right."};
    const std::vector<ErrorShare>& kinds = of.analyses[0].errors.errors;
    std::vector<std::size_t> shown;
    for (std::size_t k = 0; k < kinds.size(); ++k) {
        const bool any = std::any_of(of.analyses.begin(), of.analyses.end(), [k](const auto& analysis) {
            return k < analysis.errors.errors.size() && is_shown(analysis.errors.errors[k]);
        });
        if (!any) continue;
        shown.push_back(k);
        table.columns.push_back({error_name(kinds[k].error), kinds[k].definition});
    }
    table.columns.push_back({"All false positives"});
    table.columns.push_back({"All faces not found"});
    const auto cell = [](long long count, const Number& gained) {
        Cell both = count_cell(static_cast<double>(count));
        both.notes = {"AP +" + points_cell(gained).text};
        return both;
    };
    for (std::size_t i = 0; i < of.analyses.size(); ++i) {
        const ErrorBreakdown& errors = of.analyses[i].errors;
        std::vector<Cell> row{rival_cell(of.names, i)};
        for (const std::size_t k : shown) {
            row.push_back(k < errors.errors.size() ? cell(errors.errors[k].count, errors.errors[k].delta_ap)
                                                   : Cell("–"));
        }
        row.push_back(cell(errors.false_positives, errors.delta_ap_all_false_positives));
        row.push_back(cell(errors.faces_not_found, errors.delta_ap_all_faces_not_found));
        table.rows.push_back(std::move(row));
    }
    return table;
}

Section error_section(const DetectorsCompared& of) {
    Section section =
        each_folded(of, "errors", "Errors", [&](std::size_t i, Section& own) { add_errors(of, i, own); });
    const bool any = std::any_of(of.analyses.begin(), of.analyses.end(),
                                 [](const auto& analysis) { return has_errors(analysis.errors); });
    if (any && !of.is_single()) section.blocks.insert(section.blocks.begin(), errors_compared(of));
    return section;
}

// --- confusion counts --------------------------------------------------------------------------------

Cell optional_cell(const std::optional<double>& value, Unit unit) {
    return number_cell({{"", "", "", Better::neither, unit}, value, {}});
}

std::vector<Cell> confusion_row(Cell what, const OperatingPoint& point, std::size_t detector,
                                std::size_t tally) {
    const bool is_images = tally == tally_of_images;
    const ConfusionCounts& counts = is_images ? point.images : point.detections;
    std::vector<Cell> row{std::move(what)};
    const auto add = [&](Cell cell, TallyNumber number) {
        row.push_back(followed(std::move(cell), detector, tally, number));
    };
    add(count_cell(counts.true_positives), TallyNumber::found);
    add(count_cell(counts.false_positives), TallyNumber::false_positives);
    if (is_images) {
        add(count_cell(counts.true_negatives), TallyNumber::true_negatives);
    } else {
        row.emplace_back("–");
    }
    add(count_cell(counts.false_negatives), TallyNumber::missed);
    add(optional_cell(counts.accuracy(), Unit::share), TallyNumber::accuracy);
    add(optional_cell(counts.precision(), Unit::share), TallyNumber::precision);
    add(optional_cell(counts.recall(), Unit::share), TallyNumber::recall);
    add(optional_cell(counts.f1(), Unit::number), TallyNumber::f1);
    return row;
}

std::string kept_at(const OperatingPoint& point) {
    return point.threshold ? "score of at least " + compact(*point.threshold)
                           : std::string("no detection is kept");
}

Table confusion_table(const std::string& title, const std::string& first) {
    return {
        .title = title,
        .columns = {
            words(first), {"TP"}, {"FP"}, {"TN"}, {"FN"}, {"Accuracy"}, {"Precision"}, {"Recall"}, {"F1"}}};
}

Section confusion_section(const DetectorsCompared& of) {
    const OperatingPoint& first = of.analyses[0].operating_point;
    const std::string rules =
        "A detector has no countable true negatives among windows, so the accuracy of faces and detections "
        "is TP / (TP + FP + FN). Whole images are counted as in Andargie 2019, table 5.2. "
        "An image with faces is TP if a face in it is found, else FN. An image without faces is FP if "
        "anything is detected in it, else TN.";
    Section section{"confusion", "Confusion counts"};
    if (of.is_single()) {
        Table table = confusion_table("Confusion counts", "Counted");
        table.rows = {confusion_row("faces and detections", first, 0, tally_of_all),
                      confusion_row("whole images", first, 0, tally_of_images)};
        section.add(std::move(table));
        section.add(note("At " + describe(first.choice) + ": " + kept_at(first) + ". " + rules));
        return section;
    }
    Table detections = confusion_table("Confusion counts of faces and detections", "Detector");
    Table images = confusion_table("Confusion counts of whole images", "Detector");
    for (std::size_t i = 0; i < of.analyses.size(); ++i) {
        const OperatingPoint& point = of.analyses[i].operating_point;
        Cell name = rival_cell(of.names, i);
        images.rows.push_back(confusion_row(name, point, i, tally_of_images));
        name.notes = {kept_at(point)};
        name = followed(std::move(name), i, tally_of_all, TallyNumber::threshold);
        detections.rows.push_back(confusion_row(name, point, i, tally_of_all));
    }
    section.add(std::move(detections));
    section.add(std::move(images));
    section.add(note("At " + describe(first.choice) + " of each detector. " + rules));
    return section;
}

// --- scores and fit ----------------------------------------------------------------------------------

void add_scores(const DetectorsCompared& of, std::size_t detector, Section& section) {
    const ScoreCalibration& calibration = of.analyses[detector].calibration;
    if (calibration.bins.empty()) return;
    Table table{.title = title_of(of, "Precision by score", detector),
                .columns = {words("Scores"), {"Detections"}, {"Mean score"}, {"Precision"}}};
    for (const ReliabilityBin& bin : calibration.bins) {
        table.rows.push_back({compact(bin.lowest_score) + "–" + compact(bin.highest_score),
                              count_cell(bin.detections), score_cell(bin.mean_score),
                              rate_cell(bin.precision, bin.wilson_ci95)});
    }
    section.add(std::move(table));
    section.add(reliability_plots(of.analyses, of.names, detector));
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
    section.add(note(errors));
}

Section fit_section(const DetectorsCompared& of) {
    // A tenth of IoU; shares come by hundredths.
    constexpr std::size_t step = 10;
    Section section{"fit", "Fit of boxes"};
    Table table{.title = "Share of the faces by the IoU of their best boxes",
                .columns = {words("IoU of at least")},
                .rivals = Rivals::columns};
    for (const std::string& name : of.names) table.columns.push_back({of.is_single() ? "Faces" : name});
    for (std::size_t i = 3 * step; i < of.analyses[0].iou_shares.size(); i += step) {
        std::vector<Cell> row{fixed(of.analyses[0].iou_shares[i].iou, 1)};
        for (const DetectionAnalysis& analysis : of.analyses) {
            row.push_back(i < analysis.iou_shares.size() ? rate_cell(analysis.iou_shares[i].share, {})
                                                         : Cell("–"));
        }
        table.rows.push_back(std::move(row));
    }
    if (table.rows.empty()) return section;
    section.add(std::move(table));
    section.add(fit_plots(of.analyses, of.names));
    if (of.is_single()) {
        section.add(note(ambiguity_sentence(of.analyses[0].ambiguity)));
        return section;
    }
    Definitions pairing;
    for (std::size_t i = 0; i < of.analyses.size(); ++i)
        pairing.items.push_back({of.names[i], ambiguity_sentence(of.analyses[i].ambiguity)});
    Section ways{"fit-pairing", "How much the way of pairing decides"};
    ways.fold = Fold::closed;
    ways.add(std::move(pairing));
    section.sections = {std::move(ways)};
    return section;
}

void add_worst_images(const DetectorsCompared& of, std::size_t detector, Section& section) {
    const std::vector<WorstImage>& images = of.analyses[detector].worst_images;
    if (images.empty()) return;
    Table table{
        .title = title_of(of, "Images with most errors", detector),
        .columns = {words("Image"), {"Errors"}, {"Faces missed"}, {"False positives"}, {"Faces"}},
        .is_sortable = true,
        .note = "At " + describe(of.analyses[detector].operating_point.choice) + ". report.json lists more."};
    for (std::size_t i = 0; i < std::min(images.size(), max_worst_images); ++i) {
        const WorstImage& image = images[i];
        const auto count = [&](int own, TallyNumber number) {
            return followed(count_cell(own), detector, tally_of_worst(of.analyses[detector], i), number);
        };
        table.rows.push_back(
            {of.dataset.samples.at(image.sample).image, count(image.errors(), TallyNumber::errors),
             count(image.misses, TallyNumber::missed),
             count(image.false_positives, TallyNumber::false_positives), count_cell(image.faces)});
    }
    section.add(std::move(table));
}

}  // namespace

std::vector<Section> analysis_sections(const DetectorsCompared& of) {
    return {error_section(of),
            confusion_section(of),
            slices_section(of),
            each_folded(of, "reliability", "Scores",
                        [&](std::size_t i, Section& own) { add_scores(of, i, own); }),
            fit_section(of),
            each_folded(of, "worst", "Worst images",
                        [&](std::size_t i, Section& own) { add_worst_images(of, i, own); })};
}

}  // namespace fovea::report
