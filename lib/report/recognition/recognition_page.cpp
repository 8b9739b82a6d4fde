#include "lib/report/recognition/recognition_page.hpp"

#include <algorithm>

#include "lib/core/text.hpp"
#include "lib/evaluate/recognition/score_curve.hpp"
#include "lib/json/json.hpp"
#include "lib/json/json_text.hpp"
#include "lib/report/html/format.hpp"
#include "lib/report/html/html.hpp"
#include "lib/report/page/page_parts.hpp"
#include "lib/report/recognition/evaluation_names.hpp"

namespace fovea::report {
namespace {

constexpr Decimals recognition_decimals{2, 4};

using EstimateLists = std::vector<const Numbers*>;

/// A row a statistic, a column a recogniser, the definition last.
std::string estimates_table(const std::vector<std::string>& names, const EstimateLists& lists,
                            const std::string& caption) {
    std::vector<HtmlColumn> columns{{"Number", false}};
    for (const std::string& name : names) columns.push_back({name});
    columns.push_back({"95 % interval of the first", true, "percentile bootstrap"});
    if (names.size() == 1) columns.back().header = "95 % interval";
    columns.push_back({"Definition", false});
    std::vector<HtmlRow> rows;
    for (std::size_t i = 0; i < lists[0]->size(); ++i) {
        const Number& first = (*lists[0])[i];
        HtmlRow row{{escape_html(first.quantity.name)}};
        std::optional<double> best;
        for (const Numbers* list : lists) {
            const std::optional<double>& value = (*list)[i].value;
            if (!value) continue;
            const bool better = !best || is_better(first.quantity, *value, *best);
            if (better) best = value;
        }
        for (const Numbers* list : lists) {
            const Number& estimate = (*list)[i];
            row.push_back({value_text(estimate, recognition_decimals),
                           {},
                           lists.size() > 1 && best && estimate.value == best});
        }
        row.push_back({interval_text(first, recognition_decimals)});
        row.push_back({"<small>" + escape_html(first.quantity.definition) + "</small>"});
        rows.push_back(std::move(row));
    }
    return table(columns, rows, false, caption);
}

std::string list_of(const std::vector<std::string>& sentences) {
    if (sentences.empty()) return {};
    std::string html = "<ul>";
    for (const std::string& sentence : sentences) html += "<li>" + escape_html(sentence) + "</li>";
    return html + "</ul>\n";
}

template <class Evaluations>
std::string warnings_list(const Evaluations& evaluations, const RecognitionReportContext& context) {
    std::vector<std::string> sentences = context.warnings;
    for (const auto& evaluation : evaluations) {
        for (const std::string& warning : evaluation.warnings) {
            sentences.push_back(evaluations.size() > 1 ? evaluation.name + ": " + warning : warning);
        }
    }
    return list_of(sentences);
}

template <class Evaluations>
EstimateLists estimate_lists(const Evaluations& evaluations) {
    EstimateLists lists;
    for (const auto& evaluation : evaluations) lists.push_back(&evaluation.estimates);
    return lists;
}

std::string configuration_section(const RecognitionReportContext& context) {
    std::string html = folded("Origin of this report", origin_list(context.origin), true);
    if (!context.configuration.empty()) {
        html += folded_on_screen("Effective configuration",
                                 "<pre>" + escape_html(indented_text(context.configuration)) + "</pre>\n");
    }
    return html;
}

// --- verification ----------------------------------------------------------------------------------

std::string threshold_text(const std::optional<double>& threshold) {
    return threshold ? compact(*threshold) : "–";
}

std::string thresholds_section(const VerificationEvaluations& evaluations) {
    std::vector<HtmlColumn> columns{{"Recogniser", false}, {"at the EER"}};
    for (std::size_t k = reported_far.size(); k-- > 0;) {
        columns.push_back({"at FAR " + rate_text(reported_far[k])});
    }
    columns.push_back({"given"});
    std::vector<HtmlRow> rows;
    for (const VerificationEvaluation& e : evaluations) {
        HtmlRow row{{breakable(e.name)}, {threshold_text(e.thresholds.at_eer)}};
        for (std::size_t k = reported_far.size(); k-- > 0;) {
            row.push_back({threshold_text(e.thresholds.at_far[k])});
        }
        row.push_back({threshold_text(e.options.threshold)});
        rows.push_back(std::move(row));
    }
    const bool distance = evaluations[0].options.distance;
    std::string html =
        std::string("<p>A pair is accepted if its ") +
        (distance ? "distance is at most" : "score is at least") +
        " the threshold. <code>--threshold-from report.json</code> applies one of these to other "
        "pairs.</p>\n" +
        table(columns, rows, false, "Thresholds");
    const VerificationEvaluation& first = evaluations[0];
    if (first.options.threshold) {
        html += "<p>The given threshold is from " + escape_html(first.options.threshold_origin) + ".</p>\n";
    }
    return html;
}

std::string folds_section(const VerificationEvaluations& evaluations) {
    if (std::all_of(evaluations.begin(), evaluations.end(),
                    [](const VerificationEvaluation& e) { return e.folds.empty(); })) {
        return {};
    }
    std::vector<HtmlColumn> columns{{"Fold"}, {"Pairs"}};
    for (const VerificationEvaluation& e : evaluations) {
        columns.push_back({evaluations.size() > 1 ? e.name : "Accuracy"});
        columns.push_back({"Threshold", true, "chosen on the other folds"});
    }
    std::vector<HtmlRow> rows;
    for (std::size_t f = 0; f < evaluations[0].folds.size(); ++f) {
        const FoldResult& fold = evaluations[0].folds[f];
        HtmlRow row{{std::to_string(fold.fold)}, {grouped(static_cast<long long>(fold.pairs))}};
        for (const VerificationEvaluation& e : evaluations) {
            const bool has = f < e.folds.size();
            row.push_back({has ? percent(e.folds[f].accuracy) : "–"});
            row.push_back({has ? threshold_text(e.folds[f].threshold) : "–"});
        }
        rows.push_back(std::move(row));
    }
    return "<p>Each fold is judged at the threshold that judges most pairs of all other folds rightly; of "
           "equally good "
           "thresholds the strictest, always a score of these folds.</p>\n" +
           table(columns, rows, false, "Accuracy of each fold");
}

std::string lead_of(const VerificationEvaluations& evaluations, const std::string& data) {
    const VerificationEvaluation& first = evaluations[0];
    std::string text = evaluations.size() == 1
                           ? strong(first.name) + " was evaluated"
                           : strong(std::to_string(evaluations.size()) + " recognisers") + " were compared";
    text += " on " + escape_html(number_of(static_cast<long long>(first.genuine), "genuine pair")) + " and " +
            escape_html(number_of(static_cast<long long>(first.impostors), "impostor pair"));
    if (!data.empty()) text += " of <code>" + breakable(data) + "</code>";
    text += ". ";
    if (evaluations.size() > 1) return text;
    const Number& accuracy = first.estimate("accuracy");
    if (accuracy.value) {
        text += "The accuracy over " + std::to_string(first.folds.size()) + " folds is " +
                strong(value_text(accuracy, recognition_decimals)) + " ± " +
                value_text(first.estimate("accuracy_standard_error"), recognition_decimals) + ", ";
    }
    if (first.estimate("eer").value) {
        text += "the equal error rate " + strong(value_text(first.estimate("eer"), recognition_decimals)) +
                ", the area under the ROC " +
                strong(value_text(first.estimate("auc"), recognition_decimals)) + ".";
    }
    return text;
}

// --- identification --------------------------------------------------------------------------------

std::string lead_of(const IdentificationEvaluations& evaluations, const std::string& data) {
    const IdentificationEvaluation& first = evaluations[0];
    std::string text = evaluations.size() == 1
                           ? strong(first.name) + " searched"
                           : strong(std::to_string(evaluations.size()) + " recognisers") + " searched";
    text += " with " + escape_html(number_of(static_cast<long long>(first.probes), "probe")) +
            " in a gallery of " +
            escape_html(number_of(static_cast<long long>(first.gallery_images), "image")) + " of " +
            escape_html(number_of(static_cast<long long>(first.gallery_subjects), "subject"));
    if (!data.empty()) text += " (<code>" + breakable(data) + "</code>)";
    text += ". ";
    if (evaluations.size() == 1 && first.estimate("rank1").value) {
        text += "The mate comes first for " +
                strong(value_text(first.estimate("rank1"), recognition_decimals)) + " of the " +
                grouped(static_cast<long long>(first.mated)) + " probes that have one.";
    }
    return text;
}

std::string counts_section(const IdentificationEvaluations& evaluations) {
    std::vector<HtmlRow> rows;
    const auto text = [](std::size_t count) { return grouped(static_cast<long long>(count)); };
    for (const IdentificationEvaluation& e : evaluations) {
        rows.push_back({{breakable(e.name)},
                        {text(e.mated)},
                        {text(e.probes - e.mated)},
                        {text(e.probes_failed)},
                        {text(e.gallery_failed)},
                        {text(e.mated_not_found)},
                        {text(e.tied)}});
    }
    return table(
        {{"Recogniser", false},
         {"Mated probes"},
         {"Unmated probes"},
         {"Probes not enrolled"},
         {"Gallery images not enrolled"},
         {"Mated probes lost", true, "never identified, as they or all their mates were not enrolled"},
         {"Tied", true, "probes whose mate shares its score with another subject"}},
        rows, false, "Probes and images of the gallery");
}

std::string open_set_section(const IdentificationEvaluations& evaluations) {
    std::vector<std::string> names;
    EstimateLists lists;
    for (const IdentificationEvaluation& e : evaluations) {
        if (!e.open_set) continue;
        names.push_back(e.name);
        lists.push_back(&e.open_set->estimates);
    }
    return lists.empty() ? std::string() : estimates_table(names, lists, "Numbers of the open set");
}

std::string permutation_section(const PermutationEvaluation& evaluation,
                                const std::vector<std::string>& names) {
    std::vector<HtmlRow> rows;
    for (std::size_t i = 0; i < evaluation.curves.size(); ++i) {
        const PermutationPoint& rank1 = evaluation.curves[i][0];
        rows.push_back({{breakable(names[i])},
                        {percent(rank1.mean)},
                        {percent(rank1.central95[0]) + " – " + percent(rank1.central95[1])}});
    }
    std::string html =
        "<p>" +
        escape_html(grouped(evaluation.options.permutations) + " times, " + drawing_text(evaluation.options) +
                    " " + number_of(static_cast<long long>(evaluation.subjects), "subject") + " (" +
                    number_of(static_cast<long long>(evaluation.images), "image") +
                    "), the same for all recognisers. Images of subjects with too few (" +
                    grouped(static_cast<long long>(evaluation.images_left_out)) + ") are left out.") +
        "</p>\n" +
        table({{"Recogniser", false}, {"Mean rank-1"}, {"95 % of the permutations"}}, rows, false,
              "Rank-1 over the permutations");
    if (evaluation.comparisons.empty()) return html;
    rows.clear();
    for (const PermutationComparison& pair : evaluation.comparisons) {
        rows.push_back({{breakable(names[pair.first])},
                        {breakable(names[pair.second])},
                        {percent(pair.first_better)},
                        {percent(pair.equal)},
                        {percent(pair.second_better)},
                        {percent(pair.mean_difference)},
                        {percent(pair.central95[0]) + " – " + percent(pair.central95[1])}});
    }
    return html + table({{"A", false},
                         {"B", false},
                         {"P(A > B)", true, "share of the permutations in which A has the higher rank-1"},
                         {"P(A = B)"},
                         {"P(B > A)"},
                         {"Mean of B − A"},
                         {"95 % of the permutations"}},
                        rows, false, "Pairs of recognisers over the permutations");
}

}  // namespace

Document verification_document(const VerificationEvaluations& evaluations,
                               const RecognitionReportContext& context) {
    Document document;
    document.lead = lead_of(evaluations, context.data);
    document.protocol =
        "Verification (1:1). Pairs without score are failures to enrol and count as rejected. FAR and FMR "
        "are the share "
        "of impostor pairs accepted, TAR = 1 - FNMR the share of genuine pairs accepted.";
    document.parts = {
        {"numbers", "Numbers",
         estimates_table(evaluation_names(evaluations), estimate_lists(evaluations), "Numbers of all pairs")},
        {"thresholds", "Thresholds", thresholds_section(evaluations)},
        {"folds", "Folds", folds_section(evaluations)},
        {"notes", "Notes", warnings_list(evaluations, context)},
        {"configuration", "Origin, configuration", configuration_section(context)}};
    document.related = context.related;
    document.footer =
        "The numbers and intervals of this page are also in report.json, report.md and numbers.csv, the "
        "points of the "
        "curves in curves.csv, and the plots as SVG and PDF beside it.";
    return document;
}

Document identification_document(const IdentificationEvaluations& evaluations,
                                 const std::optional<PermutationEvaluation>& permutations,
                                 const RecognitionReportContext& context) {
    Document document;
    document.lead = lead_of(evaluations, context.data);
    document.protocol =
        "Identification (1:N). A gallery subject's score is the best of its images'. Ties with the mate are "
        "broken at "
        "random (expected rates); optimistic and pessimistic rates stand beside them. Probes and mates that "
        "were not "
        "enrolled count as not identified.";
    document.parts = {
        {"numbers", "Closed set",
         estimates_table(evaluation_names(evaluations), estimate_lists(evaluations),
                         "Numbers of the closed set")},
        {"open_set", "Open set", open_set_section(evaluations)},
        {"permutation", "Permutations",
         permutations ? permutation_section(*permutations, evaluation_names(evaluations)) : std::string()},
        {"counts", "Probes and gallery", counts_section(evaluations)},
        {"notes", "Notes", warnings_list(evaluations, context)},
        {"configuration", "Origin, configuration", configuration_section(context)}};
    document.related = context.related;
    document.footer =
        "The numbers and intervals of this page are also in report.json, report.md and numbers.csv, the "
        "points of the "
        "curves in curves.csv and open_set.csv, and the plots as SVG and PDF beside it.";
    return document;
}

}  // namespace fovea::report
