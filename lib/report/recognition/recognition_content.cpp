#include "lib/report/recognition/recognition_content.hpp"

#include <algorithm>
#include <functional>

#include "lib/core/text.hpp"
#include "lib/evaluate/recognition/score_curve.hpp"
#include "lib/report/model/number_tables.hpp"
#include "lib/report/page/report_part.hpp"

namespace fovea::report {
namespace {

// Good recognisers differ by tenths of a percent.
constexpr Decimals recognition_decimals{2, 4};

Cell rate_cell(double rate) {
    return share_cell(rate, recognition_decimals.shares);
}

Cell threshold_cell(const std::optional<double>& threshold) {
    return threshold ? score_cell(*threshold) : Cell("–");
}

/// A value over many permutations and where 95 % of them lie.
Cell permuted_cell(double mean, const Interval& central95) {
    return number_cell({{"", "", "", Better::higher, Unit::share}, mean, central95}, recognition_decimals);
}

template <class Evaluations>
NumberLists numbers_of(const Evaluations& evaluations) {
    NumberLists lists;
    for (const auto& evaluation : evaluations) lists.push_back(&evaluation.estimates);
    return lists;
}

template <class Evaluation>
struct CountColumn {
    const char* title;
    const char* definition;
    std::size_t (*count)(const Evaluation& evaluation);
};

template <class Evaluation, std::size_t size>
Table counts_table(const std::string& title, const std::vector<Evaluation>& evaluations,
                   const CountColumn<Evaluation> (&columns)[size]) {
    const std::vector<std::string> names = evaluation_names(evaluations);
    Table table{.title = title, .columns = {words("Recogniser")}};
    for (const auto& column : columns) table.columns.push_back({column.title, column.definition});
    for (std::size_t i = 0; i < evaluations.size(); ++i) {
        std::vector<Cell> row{rival_cell(names, i)};
        for (const auto& column : columns)
            row.push_back(count_cell(static_cast<double>(column.count(evaluations[i]))));
        table.rows.push_back(std::move(row));
    }
    return table;
}

/// Every number of every recogniser. \param units that were resampled: "probes" \param is_defined with the
/// definitions of the numbers
Table numbers_table(const std::string& title, const std::vector<std::string>& names, const NumberLists& lists,
                    int resamples, const std::string& units, bool is_defined) {
    Table table = numbers_by_rival(names, lists, recognition_decimals);
    if (is_defined) add_definitions(table, *lists[0]);
    table.title = title;
    if (resamples > 0)
        table.note =
            "Intervals: 95 %, percentile bootstrap over " + units + ", " + grouped(resamples) + " resamples.";
    return table;
}

/// The numbers by which recognisers are judged, as far as they are defined.
std::vector<Section> headline_of(const std::vector<std::string>& names, const NumberLists& lists) {
    std::vector<std::string> keys;
    Tiles tiles;
    for (const Number& number : *lists[0]) {
        if (!number.quantity.headline || !number.value) continue;
        keys.push_back(number.quantity.key);
        tiles.tiles.push_back(number_tile(number, recognition_decimals));
    }
    if (keys.empty()) return {};
    Section section{"headline", ""};
    if (names.size() == 1) {
        section.add(std::move(tiles));
    } else {
        section.add(rivals_by_number("Recogniser", names, lists, keys, recognition_decimals));
    }
    return {section};
}

/// "mine searched", "2 recognisers searched".
template <class Evaluations>
Text lead_of(const Evaluations& evaluations, const std::string& single, const std::string& several) {
    if (evaluations.size() == 1) return {Run::strong(evaluations[0].name), Run::plain(single)};
    return {Run::strong(std::to_string(evaluations.size()) + " recognisers"), Run::plain(several)};
}

void add_data(Text& lead, const std::string& before, const std::string& data, const std::string& after) {
    if (!data.empty()) lead.insert(lead.end(), {Run::plain(before), Run::code(data), Run::plain(after)});
    lead.push_back(Run::plain("."));
}

/// The parts that all kinds of reports have. \param curves "curves.csv"; empty: there are none \param
/// sections of this kind
template <class Evaluations>
Report report_of(const Evaluations& evaluations, const RecognitionReportContext& context,
                 std::vector<Plot> plots, std::vector<Section> sections, const std::string& curves) {
    Report report;
    report.related = context.related;
    report.headline = headline_of(evaluation_names(evaluations), numbers_of(evaluations));
    if (!plots.empty()) report.sections.emplace_back(Section{"curves", "Curves"}).add(std::move(plots));
    std::move(sections.begin(), sections.end(), std::back_inserter(report.sections));
    List notes{context.warnings};
    for (const auto& evaluation : evaluations) {
        for (const std::string& warning : evaluation.warnings)
            notes.items.push_back(evaluations.size() > 1 ? evaluation.name + ": " + warning : warning);
    }
    Section& noted = report.sections.emplace_back(Section{"notes", "Notes"});
    if (!notes.items.empty()) noted.add(std::move(notes));
    Section configuration{"configuration", "Origin, configuration"};
    configuration.sections.push_back(origin_section(context.origin, {}));
    if (!context.configuration.empty())
        configuration.sections.push_back(
            listing_section("effective-configuration", "Effective configuration", context.configuration));
    report.sections.push_back(std::move(configuration));
    report.footer =
        "The numbers and intervals of this page are also in report.json, report.md and numbers.csv";
    if (!curves.empty())
        report.footer +=
            ", the points of the curves in " + curves + ", and the plots as SVG and PDF beside it";
    report.footer += ".";
    return report;
}

// --- verification ----------------------------------------------------------------------------------

Table verification_numbers(const VerificationEvaluations& evaluations, bool is_defined) {
    return numbers_table("Numbers of all pairs", evaluation_names(evaluations), numbers_of(evaluations),
                         evaluations[0].options.bootstrap_resamples,
                         evaluations[0].grouped_units ? "random groups of pairs" : "pairs", is_defined);
}

Table pair_counts(const VerificationEvaluations& evaluations) {
    using Evaluation = VerificationEvaluation;
    static constexpr CountColumn<Evaluation> counts[] = {
        {"Genuine", "", [](const Evaluation& e) { return e.genuine; }},
        {"Impostor", "", [](const Evaluation& e) { return e.impostors; }},
        {"Genuine, failed to enrol", "", [](const Evaluation& e) { return e.genuine_failed; }},
        {"Impostor, failed to enrol", "", [](const Evaluation& e) { return e.impostors_failed; }},
    };
    return counts_table("Pairs", evaluations, counts);
}

Section thresholds_section(const VerificationEvaluations& evaluations) {
    const std::vector<std::string> names = evaluation_names(evaluations);
    Table table{.title = "Thresholds", .columns = {words("Recogniser"), {"at the EER"}}};
    for (std::size_t k = reported_far.size(); k-- > 0;)
        table.columns.push_back({"at FAR " + rate_text(reported_far[k])});
    table.columns.push_back({"given"});
    for (std::size_t i = 0; i < evaluations.size(); ++i) {
        const VerificationEvaluation& e = evaluations[i];
        std::vector<Cell> row{rival_cell(names, i), threshold_cell(e.thresholds.at_eer)};
        for (std::size_t k = reported_far.size(); k-- > 0;)
            row.push_back(threshold_cell(e.thresholds.at_far[k]));
        row.push_back(threshold_cell(e.options.threshold));
        table.rows.push_back(std::move(row));
    }
    const VerificationOptions& options = evaluations[0].options;
    if (options.threshold) table.note = "The given threshold is from " + options.threshold_origin + ".";
    Section section{"thresholds", "Thresholds"};
    section.add(
        Paragraph{std::string("A pair is accepted if its ") +
                  (options.distance ? "distance is at most" : "score is at least") +
                  " the threshold. --threshold-from report.json applies one of these to other pairs."});
    section.add(std::move(table));
    return section;
}

Section folds_section(const VerificationEvaluations& evaluations) {
    Section section{"folds", "Folds"};
    if (std::all_of(evaluations.begin(), evaluations.end(),
                    [](const VerificationEvaluation& e) { return e.folds.empty(); }))
        return section;
    Table table{.title = "Accuracy of each fold", .columns = {{"Fold"}, {"Pairs"}}};
    for (const VerificationEvaluation& e : evaluations) {
        table.columns.push_back({evaluations.size() > 1 ? e.name : "Accuracy"});
        table.columns.push_back({"Threshold", "chosen on the other folds"});
    }
    for (std::size_t f = 0; f < evaluations[0].folds.size(); ++f) {
        const FoldResult& fold = evaluations[0].folds[f];
        std::vector<Cell> row{count_cell(fold.fold), count_cell(static_cast<double>(fold.pairs))};
        for (const VerificationEvaluation& e : evaluations) {
            const bool has = f < e.folds.size();
            row.push_back(has ? share_cell(e.folds[f].accuracy) : Cell("–"));
            row.push_back(has ? threshold_cell(e.folds[f].threshold) : Cell("–"));
        }
        table.rows.push_back(std::move(row));
    }
    section.add(
        Paragraph{"Each fold is judged at the threshold that judges most pairs of all other folds rightly; "
                  "of equally good thresholds the strictest, always a score of these folds."});
    section.add(std::move(table));
    return section;
}

Text verification_lead(const VerificationEvaluations& evaluations, const std::string& data) {
    const VerificationEvaluation& first = evaluations[0];
    Text text = lead_of(evaluations, " was evaluated", " were compared");
    text.push_back(Run::plain(" on " + number_of(static_cast<long long>(first.genuine), "genuine pair") +
                              " and " + number_of(static_cast<long long>(first.impostors), "impostor pair")));
    add_data(text, " of ", data, "");
    if (evaluations.size() > 1) return text;
    const auto value = [&](const char* key) { return value_text(first.estimate(key), recognition_decimals); };
    const bool has_accuracy = first.estimate("accuracy").value.has_value();
    if (has_accuracy)
        text.insert(
            text.end(),
            {Run::plain(" The accuracy over " + std::to_string(first.folds.size()) + " folds is "),
             Run::strong(value("accuracy")), Run::plain(" ± " + value("accuracy_standard_error") + ",")});
    if (first.estimate("eer").value)
        text.insert(text.end(),
                    {Run::plain(has_accuracy ? " the equal error rate " : " The equal error rate is "),
                     Run::strong(value("eer")), Run::plain(", the area under the ROC "),
                     Run::strong(value("auc")), Run::plain(".")});
    return text;
}

// --- identification --------------------------------------------------------------------------------

Text identification_lead(const IdentificationEvaluations& evaluations, const std::string& data) {
    const IdentificationEvaluation& first = evaluations[0];
    Text text = lead_of(evaluations, " searched", " searched");
    text.push_back(Run::plain(" with " + number_of(static_cast<long long>(first.probes), "probe") +
                              " in a gallery of " +
                              number_of(static_cast<long long>(first.gallery_images), "image") + " of " +
                              number_of(static_cast<long long>(first.gallery_subjects), "subject")));
    add_data(text, " (", data, ")");
    if (evaluations.size() == 1 && first.estimate("rank1").value)
        text.insert(text.end(), {Run::plain(" The mate comes first for "),
                                 Run::strong(value_text(first.estimate("rank1"), recognition_decimals)),
                                 Run::plain(" of the " + grouped(static_cast<long long>(first.mated)) +
                                            " probes that have one.")});
    return text;
}

Table closed_set_numbers(const IdentificationEvaluations& evaluations, bool is_defined) {
    return numbers_table("Numbers of the closed set", evaluation_names(evaluations), numbers_of(evaluations),
                         evaluations[0].options.bootstrap_resamples, "probes", is_defined);
}

Table probe_counts(const IdentificationEvaluations& evaluations) {
    using Evaluation = IdentificationEvaluation;
    static constexpr CountColumn<Evaluation> counts[] = {
        {"Mated probes", "", [](const Evaluation& e) { return e.mated; }},
        {"Unmated probes", "", [](const Evaluation& e) { return e.probes - e.mated; }},
        {"Probes not enrolled", "", [](const Evaluation& e) { return e.probes_failed; }},
        {"Gallery images not enrolled", "", [](const Evaluation& e) { return e.gallery_failed; }},
        {"Mated probes lost", "never identified, as they or all their mates were not enrolled",
         [](const Evaluation& e) { return e.mated_not_found; }},
        {"Tied", "probes whose mate shares its score with another subject",
         [](const Evaluation& e) { return e.tied; }},
    };
    return counts_table("Probes and images of the gallery", evaluations, counts);
}

/// Every number of the open set; no table without unmated probes.
std::vector<Table> open_set_tables(const IdentificationEvaluations& evaluations, bool is_defined) {
    std::vector<std::string> names;
    NumberLists lists;
    for (const IdentificationEvaluation& e : evaluations) {
        if (!e.open_set) continue;
        names.push_back(e.name);
        lists.push_back(&e.open_set->estimates);
    }
    if (lists.empty()) return {};
    return {numbers_table("Numbers of the open set", names, lists, evaluations[0].options.bootstrap_resamples,
                          "probes", is_defined)};
}

std::vector<Table> permutation_tables(const PermutationEvaluation& evaluation,
                                      const std::vector<std::string>& names) {
    Table rank1{
        .title = "Rank-1 over the permutations",
        .columns = {words("Recogniser"), {"Mean rank-1", "with the range of 95 % of the permutations"}},
        .rivals = Rivals::rows};
    for (std::size_t i = 0; i < evaluation.curves.size(); ++i)
        rank1.rows.push_back({rival_cell(names, i), permuted_cell(evaluation.curves[i].at(0).mean,
                                                                  evaluation.curves[i][0].central95)});
    Table pairs{.title = "Pairs of recognisers over the permutations",
                .columns = {words("A"),
                            words("B"),
                            {"P(A > B)", "share of the permutations in which A has the higher rank-1"},
                            {"P(A = B)"},
                            {"P(B > A)"},
                            {"Mean of B − A", "with the range of 95 % of the permutations"}}};
    for (const PermutationComparison& pair : evaluation.comparisons)
        pairs.rows.push_back({rival_cell(names, pair.first), rival_cell(names, pair.second),
                              rate_cell(pair.first_better), rate_cell(pair.equal),
                              rate_cell(pair.second_better),
                              permuted_cell(pair.mean_difference, pair.central95)});
    std::vector<Table> tables{std::move(rank1)};
    if (!pairs.rows.empty()) tables.push_back(std::move(pairs));
    return tables;
}

Section permutation_section(const PermutationEvaluation& evaluation, const std::vector<std::string>& names) {
    Section section{"permutation", "Permutations"};
    section.add(Paragraph{grouped(evaluation.options.permutations) + " times, " +
                          drawing_text(evaluation.options) + " " +
                          number_of(static_cast<long long>(evaluation.subjects), "subject") + " (" +
                          number_of(static_cast<long long>(evaluation.images), "image") +
                          "), the same for all recognisers. Images of subjects with too few (" +
                          grouped(static_cast<long long>(evaluation.images_left_out)) + ") are left out."});
    for (Table& table : permutation_tables(evaluation, names)) section.add(std::move(table));
    return section;
}

// --- clustering ------------------------------------------------------------------------------------

Text clustering_lead(const ClusteringEvaluations& evaluations, const std::string& data) {
    const ClusteringEvaluation& first = evaluations[0];
    Text text = lead_of(evaluations, " grouped", " grouped");
    text.push_back(Run::plain(" the faces of " + number_of(static_cast<long long>(first.images), "image") +
                              " of " + number_of(static_cast<long long>(first.subjects), "subject")));
    add_data(text, " (", data, ")");
    if (evaluations.size() > 1) return text;
    const auto value = [&](const char* key) { return value_text(first.estimate(key), recognition_decimals); };
    text.insert(text.end(), {Run::plain(" The B-cubed F1 is "), Run::strong(value("bcubed_f1"))});
    if (first.estimate("pairwise_f1").value)
        text.insert(text.end(), {Run::plain(", the pairwise F1 "), Run::strong(value("pairwise_f1"))});
    text.push_back(Run::plain("."));
    return text;
}

Table clustering_numbers(const ClusteringEvaluations& evaluations, bool is_defined) {
    return numbers_table("Numbers of all faces", evaluation_names(evaluations), numbers_of(evaluations),
                         evaluations[0].options.bootstrap_resamples, "subjects", is_defined);
}

Table group_counts(const ClusteringEvaluations& evaluations) {
    using Evaluation = ClusteringEvaluation;
    static constexpr CountColumn<Evaluation> counts[] = {
        {"Images", "", [](const Evaluation& e) { return e.images; }},
        {"Subjects", "", [](const Evaluation& e) { return e.subjects; }},
        {"Groups", "", [](const Evaluation& e) { return e.groups; }},
        {"Faces in no group", "each counts as a group of its own",
         [](const Evaluation& e) { return e.ungrouped; }},
    };
    return counts_table("Faces and groups", evaluations, counts);
}

Table mixed_table(const std::string& title, const char* noun, const Column& parts,
                  const std::vector<MixedFaces>& all) {
    Table table{.title = title, .columns = {words(noun), {"Faces"}, parts}, .is_sortable = true};
    for (const MixedFaces& one : all)
        table.rows.push_back({Cell(one.name), count_cell(static_cast<double>(one.faces)),
                              count_cell(static_cast<double>(one.parts))});
    return table;
}

/// The subjects and groups that went wrong most, of the first recogniser.
Section mistakes_section(const ClusteringEvaluations& evaluations) {
    const ClusteringEvaluation& first = evaluations[0];
    Section section{"mistakes", "Worst subjects and groups"};
    if (first.split_subjects.empty() && first.mixed_groups.empty()) return section;
    if (evaluations.size() > 1) section.add(Paragraph{"These are the groups of " + first.name + "."});
    section.add(mixed_table("Subjects in most groups", "Subject",
                            {"Groups", "a face in no group counts as one"}, first.split_subjects));
    section.add(mixed_table("Groups of most subjects", "Group", {"Subjects"}, first.mixed_groups));
    return section;
}

}  // namespace

Report verification_content(const VerificationEvaluations& evaluations,
                            const RecognitionReportContext& context) {
    Section numbers{"numbers", "Numbers"};
    numbers.add(verification_numbers(evaluations, true));
    numbers.add(pair_counts(evaluations));
    Report report = report_of(
        evaluations, context, verification_plots(evaluations),
        {std::move(numbers), thresholds_section(evaluations), folds_section(evaluations)}, "curves.csv");
    report.lead = {verification_lead(evaluations, context.data)};
    report.protocol =
        "Verification (1:1). Pairs without score are failures to enrol and count as rejected. FAR and FMR "
        "are the share of impostor pairs accepted, TAR = 1 - FNMR the share of genuine pairs accepted.";
    return report;
}

Report identification_content(const IdentificationEvaluations& evaluations,
                              const std::optional<PermutationEvaluation>& permutations,
                              const RecognitionReportContext& context) {
    const std::vector<std::string> names = evaluation_names(evaluations);
    Section numbers{"numbers", "Closed set"};
    numbers.add(closed_set_numbers(evaluations, true));
    Section open_set{"open-set", "Open set"};
    for (Table& table : open_set_tables(evaluations, true)) open_set.add(std::move(table));
    Section probes{"counts", "Probes and gallery"};
    probes.add(probe_counts(evaluations));
    std::vector<Section> sections{std::move(numbers), std::move(open_set)};
    if (permutations) sections.push_back(permutation_section(*permutations, names));
    sections.push_back(std::move(probes));
    Report report = report_of(evaluations, context, identification_plots(evaluations, permutations),
                              std::move(sections), "curves.csv and open_set.csv");
    report.lead = {identification_lead(evaluations, context.data)};
    report.protocol =
        "Identification (1:N). A gallery subject's score is the best of its images'. Ties with the mate are "
        "broken at random (expected rates); optimistic and pessimistic rates stand beside them. Probes and "
        "mates that were not enrolled count as not identified.";
    return report;
}

Report clustering_content(const ClusteringEvaluations& evaluations, const RecognitionReportContext& context) {
    Section numbers{"numbers", "Numbers"};
    numbers.add(clustering_numbers(evaluations, true));
    numbers.add(group_counts(evaluations));
    Report report =
        report_of(evaluations, context, {}, {std::move(numbers), mistakes_section(evaluations)}, "");
    report.lead = {clustering_lead(evaluations, context.data)};
    report.protocol =
        "Clustering. The groups are judged by the subjects of the dataset; one face of each image counts. A "
        "face in no group counts as a group of its own.";
    return report;
}

}  // namespace fovea::report

namespace fovea {

using namespace report;

std::vector<Table> verification_summary(const VerificationEvaluations& evaluations) {
    return {verification_numbers(evaluations, false), pair_counts(evaluations)};
}

std::vector<Table> identification_summary(const IdentificationEvaluations& evaluations,
                                          const std::optional<PermutationEvaluation>& permutations) {
    std::vector<Table> tables{closed_set_numbers(evaluations, false)};
    for (Table& table : open_set_tables(evaluations, false)) tables.push_back(std::move(table));
    if (permutations) {
        for (Table& table : permutation_tables(*permutations, evaluation_names(evaluations)))
            tables.push_back(std::move(table));
    }
    tables.push_back(probe_counts(evaluations));
    return tables;
}

std::vector<Table> clustering_summary(const ClusteringEvaluations& evaluations) {
    return {clustering_numbers(evaluations, false), group_counts(evaluations)};
}

}  // namespace fovea
