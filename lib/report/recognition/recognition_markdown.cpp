#include "lib/report/recognition/recognition_markdown.hpp"

#include "lib/core/text.hpp"
#include "lib/evaluate/recognition/score_curve.hpp"
#include "lib/report/page/markdown.hpp"
#include "lib/report/recognition/evaluation_names.hpp"

namespace fovea::report {
namespace {

// Good recognisers differ by tenths of a percent.
constexpr Decimals decimals{2, 4};

using EstimateLists = std::vector<const Numbers*>;

template <class Evaluations>
std::string estimates_table(const Evaluations& evaluations) {
    EstimateLists lists;
    for (const auto& evaluation : evaluations) lists.push_back(&evaluation.estimates);
    MarkdownRows rows = markdown_heading("Number", evaluation_names(evaluations));
    add_numbers(rows, lists, decimals);
    return "\n" + markdown_table(rows);
}

template <class Evaluations>
MarkdownPage page_of(const Evaluations& evaluations, const RecognitionReportContext& context,
                     const Document& document, const std::vector<DrawnPlot>& plots,
                     const std::string& units) {
    MarkdownPage page;
    page.title = document.title;
    page.protocol = document.protocol;
    page.note = interval_note(evaluations[0].options.bootstrap_resamples, units);
    page.warnings = context.warnings;
    for (const auto& evaluation : evaluations) {
        for (const std::string& warning : evaluation.warnings) {
            page.warnings.push_back(evaluation.name + ": " + warning);
        }
    }
    page.plots = plots;
    return page;
}

std::string of_data(const RecognitionReportContext& context) {
    return context.data.empty() ? "." : " of " + context.data + ".";
}

std::string thresholds_table(const VerificationEvaluations& evaluations) {
    MarkdownRows rows = markdown_heading("Threshold", evaluation_names(evaluations));
    const auto add = [&](const std::string& title, auto&& threshold_of) {
        std::vector<std::string> row{title};
        for (const VerificationEvaluation& e : evaluations) {
            const std::optional<double>& threshold = threshold_of(e);
            row.push_back(threshold ? compact(*threshold) : "–");
        }
        rows.push_back(std::move(row));
    };
    add(
        "at the EER", [](const VerificationEvaluation& e) -> auto& { return e.thresholds.at_eer; });
    for (std::size_t k = reported_far.size(); k-- > 0;) {
        add(
            "at FAR " + rate_text(reported_far[k]), [k](const VerificationEvaluation& e) -> auto& {
                return e.thresholds.at_far[k];
            });
    }
    const VerificationOptions& options = evaluations[0].options;
    if (options.threshold) {
        add(
            "given, from " + escape_markdown(options.threshold_origin),
            [](const VerificationEvaluation& e) -> auto& { return e.options.threshold; });
    }
    return std::string("\n## Thresholds\n\nA pair is accepted if its ") +
           (options.distance ? "distance is at most" : "score is at least") + " the threshold.\n\n" +
           markdown_table(rows);
}

std::string open_set_table(const IdentificationEvaluations& evaluations) {
    EstimateLists lists;
    std::vector<std::string> names;
    for (const IdentificationEvaluation& e : evaluations) {
        if (!e.open_set) continue;
        names.push_back(e.name);
        lists.push_back(&e.open_set->estimates);
    }
    if (lists.empty()) return {};
    MarkdownRows rows = markdown_heading("Number", names);
    add_numbers(rows, lists, decimals);
    return "\n## Open set\n\n" + markdown_table(rows);
}

std::string rate(double value) {
    return number_with_interval({{"", "", "", Better::higher, Unit::share}, value, {}}, decimals);
}

std::string range(const Interval& interval) {
    return rate(interval[0]) + " to " + rate(interval[1]);
}

std::string permutation_table(const PermutationEvaluation& evaluation,
                              const std::vector<std::string>& names) {
    MarkdownRows rows{{"Recogniser", "Mean rank-1", "95 % of the permutations"}};
    for (std::size_t i = 0; i < evaluation.curves.size(); ++i) {
        const PermutationPoint& rank1 = evaluation.curves[i].at(0);
        rows.push_back({escape_markdown(names[i]), rate(rank1.mean), range(rank1.central95)});
    }
    std::string text = "\n## Permutations\n\n" + grouped(evaluation.options.permutations) + " times, " +
                       drawing_text(evaluation.options) + " " +
                       number_of(static_cast<long long>(evaluation.subjects), "subject") +
                       ", the same for all.\n\n" + markdown_table(rows);
    if (evaluation.comparisons.empty()) return text;
    rows = {
        {"A", "B", "P(A better)", "P(equal)", "P(B better)", "Mean of B − A", "95 % of the permutations"}};
    for (const PermutationComparison& pair : evaluation.comparisons) {
        rows.push_back({escape_markdown(names[pair.first]), escape_markdown(names[pair.second]),
                        rate(pair.first_better), rate(pair.equal), rate(pair.second_better),
                        rate(pair.mean_difference), range(pair.central95)});
    }
    return text + "\n" + markdown_table(rows);
}

}  // namespace

std::string verification_markdown(const VerificationEvaluations& evaluations,
                                  const RecognitionReportContext& context, const Document& document,
                                  const std::vector<DrawnPlot>& plots) {
    const VerificationEvaluation& first = evaluations[0];
    MarkdownPage page = page_of(evaluations, context, document, plots,
                                first.grouped_units ? "random groups of pairs" : "pairs");
    page.lead = number_of(static_cast<long long>(first.genuine), "genuine pair") + " and " +
                number_of(static_cast<long long>(first.impostors), "impostor pair") + of_data(context);
    MarkdownRows rows = markdown_heading("Pairs", evaluation_names(evaluations));
    add_counts(rows, "Genuine", evaluations, &VerificationEvaluation::genuine);
    add_counts(rows, "Impostor", evaluations, &VerificationEvaluation::impostors);
    add_counts(rows, "Genuine, failed to enrol", evaluations, &VerificationEvaluation::genuine_failed);
    add_counts(rows, "Impostor, failed to enrol", evaluations, &VerificationEvaluation::impostors_failed);
    page.tables = markdown_table(rows) + estimates_table(evaluations) + thresholds_table(evaluations);
    return markdown_page(page);
}

std::string identification_markdown(const IdentificationEvaluations& evaluations,
                                    const std::optional<PermutationEvaluation>& permutations,
                                    const RecognitionReportContext& context, const Document& document,
                                    const std::vector<DrawnPlot>& plots) {
    const IdentificationEvaluation& first = evaluations[0];
    MarkdownPage page = page_of(evaluations, context, document, plots, "probes");
    page.lead = number_of(static_cast<long long>(first.probes), "probe") + " searched in a gallery of " +
                number_of(static_cast<long long>(first.gallery_images), "image") + " of " +
                number_of(static_cast<long long>(first.gallery_subjects), "subject") + of_data(context);
    MarkdownRows rows = markdown_heading("Probes and gallery", evaluation_names(evaluations));
    add_counts(rows, "Mated probes", evaluations, &IdentificationEvaluation::mated);
    add_counts(rows, "Unmated probes", evaluations,
               [](const IdentificationEvaluation& e) { return e.probes - e.mated; });
    add_counts(rows, "Probes, failed to enrol", evaluations, &IdentificationEvaluation::probes_failed);
    add_counts(rows, "Gallery images, failed to enrol", evaluations,
               &IdentificationEvaluation::gallery_failed);
    add_counts(rows, "Mated probes lost by failures", evaluations,
               &IdentificationEvaluation::mated_not_found);
    add_counts(rows, "Mated probes with ties", evaluations, &IdentificationEvaluation::tied);
    page.tables = markdown_table(rows) + estimates_table(evaluations) + open_set_table(evaluations);
    if (permutations) page.tables += permutation_table(*permutations, evaluation_names(evaluations));
    return markdown_page(page);
}

}  // namespace fovea::report
