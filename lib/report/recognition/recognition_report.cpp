#include "lib/report/recognition/recognition_report.hpp"

#include <map>

#include "lib/core/error.hpp"
#include "lib/evaluate/recognition/recognition_json.hpp"
#include "lib/evaluate/recognition/score_curve.hpp"
#include "lib/evaluate/unit_record.hpp"
#include "lib/files/file.hpp"
#include "lib/files/folder.hpp"
#include "lib/files/sha256.hpp"
#include "lib/files/staged_files.hpp"
#include "lib/json/json.hpp"
#include "lib/json/json_text.hpp"
#include "lib/report/html/csv.hpp"
#include "lib/report/html/format.hpp"
#include "lib/report/page/document.hpp"
#include "lib/report/page/page_parts.hpp"
#include "lib/report/recognition/evaluation_names.hpp"
#include "lib/report/recognition/recognition_markdown.hpp"
#include "lib/report/recognition/recognition_page.hpp"
#include "lib/report/recognition/recognition_plots.hpp"

namespace fovea {
namespace {

using namespace report;

std::string title_of(const RecognitionReportContext& context, const std::string& kind) {
    return context.title.empty() ? default_title(kind, context.data) : context.title;
}

template <class Evaluations, class ToJson>
Json report_json(const Evaluations& evaluations, const RecognitionReportContext& context, const char* key,
                 const std::string& title, ToJson&& to_json) {
    Json json;
    json["format"] = "fovea-report";
    json["version"] = 1;
    json["title"] = title;
    json["data"] = context.data;
    json[key] = to_json(evaluations[0]);
    if (evaluations.size() > 1) {
        json["recognisers"] = Json::array();
        for (const auto& evaluation : evaluations) {
            json["recognisers"].push_back({{"name", evaluation.name}, {key, to_json(evaluation)}});
        }
    }
    if (!context.warnings.empty()) json["warnings"] = context.warnings;
    return json;
}

void add_row(CsvRows& csv, const std::string& name, std::initializer_list<double> values) {
    csv.text(name);
    for (const double value : values) csv.number(value);
    csv.end_row();
}

std::string verification_csv(const VerificationEvaluations& evaluations) {
    CsvRows csv({"recogniser", "threshold", "genuine_accepted", "impostors_accepted", "tar", "fmr"});
    for (const VerificationEvaluation& e : evaluations) {
        if (e.genuine == 0 || e.impostors == 0) continue;
        for (const VerificationPoint& point : e.curve) {
            const auto genuine = static_cast<double>(point.genuine_accepted);
            const auto impostors = static_cast<double>(point.impostors_accepted);
            add_row(csv, e.name,
                    {point.threshold, genuine, impostors, genuine / static_cast<double>(e.genuine),
                     impostors / static_cast<double>(e.impostors)});
        }
    }
    return csv.bytes();
}

std::string cmc_csv(const IdentificationEvaluations& evaluations) {
    CsvRows csv({"recogniser", "rank", "rate", "optimistic", "pessimistic"});
    for (const IdentificationEvaluation& e : evaluations) {
        for (const CmcPoint& point : e.cmc) {
            add_row(csv, e.name,
                    {static_cast<double>(point.rank), point.rate, point.optimistic, point.pessimistic});
        }
    }
    return csv.bytes();
}

// Nothing without probes of unknown subjects.
std::string open_set_csv(const IdentificationEvaluations& evaluations) {
    CsvRows csv({"recogniser", "threshold", "fpir", "fnir", "fnir_any_rank"});
    bool any = false;
    for (const IdentificationEvaluation& e : evaluations) {
        if (!e.open_set) continue;
        for (const OpenSetPoint& point : e.open_set->curve) {
            add_row(csv, e.name, {point.threshold, point.fpir, point.fnir, point.fnir_any_rank});
            any = true;
        }
    }
    return any ? csv.bytes() : std::string();
}

std::string verification_numbers_csv(const VerificationEvaluations& evaluations) {
    NumbersCsv csv("recogniser");
    for (const VerificationEvaluation& e : evaluations) {
        csv.begin(e.name);
        csv.add("pairs", static_cast<double>(e.pairs));
        csv.add("genuine", static_cast<double>(e.genuine));
        csv.add("impostors", static_cast<double>(e.impostors));
        csv.add("genuine_failed_to_enrol", static_cast<double>(e.genuine_failed));
        csv.add("impostors_failed_to_enrol", static_cast<double>(e.impostors_failed));
        csv.add(e.estimates);
        const auto add_threshold = [&](const std::string& key, const std::optional<double>& threshold,
                                       const std::string& definition) {
            if (threshold) csv.add(key, *threshold, std::nullopt, definition);
        };
        add_threshold("threshold_at_eer", e.thresholds.at_eer, "threshold at the equal error rate");
        for (std::size_t k = reported_far.size(); k-- > 0;) {
            add_threshold(far_key("threshold_at_far_", reported_far[k]), e.thresholds.at_far[k],
                          "loosest threshold that accepts at most " + rate_text(reported_far[k]) +
                              " of the impostor pairs");
        }
        add_threshold("threshold", e.options.threshold, "given, from " + e.options.threshold_origin);
    }
    return csv.text();
}

std::string identification_numbers_csv(const IdentificationEvaluations& evaluations,
                                       const std::optional<PermutationEvaluation>& permutations) {
    NumbersCsv csv("recogniser");
    for (std::size_t i = 0; i < evaluations.size(); ++i) {
        const IdentificationEvaluation& e = evaluations[i];
        csv.begin(e.name);
        csv.add("gallery_images", static_cast<double>(e.gallery_images));
        csv.add("gallery_subjects", static_cast<double>(e.gallery_subjects));
        csv.add("probes", static_cast<double>(e.probes));
        csv.add("mated_probes", static_cast<double>(e.mated));
        csv.add("gallery_failed_to_enrol", static_cast<double>(e.gallery_failed));
        csv.add("probes_failed_to_enrol", static_cast<double>(e.probes_failed));
        csv.add("mated_probes_failed", static_cast<double>(e.mated_not_found));
        csv.add("probes_with_tied_mates", static_cast<double>(e.tied));
        csv.add(e.estimates);
        if (e.open_set) csv.add(e.open_set->estimates, "open_set.");
        if (!permutations) continue;
        const PermutationPoint& rank1 = permutations->curves[i].at(0);
        csv.add("permutation.rank1_mean", rank1.mean, rank1.central95,
                "mean rank-1 over the permutations; the interval holds 95 % of them");
        for (const PermutationComparison& pair : permutations->comparisons) {
            if (pair.first != i && pair.second != i) continue;
            const bool first = pair.first == i;
            csv.add("permutation.better_than." + evaluations[first ? pair.second : pair.first].name,
                    first ? pair.first_better : pair.second_better, std::nullopt,
                    "share of the permutations in which this one has the higher rank-1");
        }
    }
    return csv.text();
}

std::string dumped(const Json& json) {
    return indented_text(json) + "\n";
}

// report.json, which names the record of the units where there is one. \param units their text; may be empty.
void add_report(Json json, const std::string& units, std::map<std::string, std::string>& data) {
    if (!units.empty()) {
        json["units"] = {{"file", units_file}, {"sha256", sha256_of(units)}};
        data[units_file] = units;
    }
    data["report.json"] = dumped(json);
}

std::filesystem::path publish(const std::filesystem::path& folder,
                              const std::map<std::string, std::string>& data, Document document,
                              const std::vector<Plot>& plots, const std::vector<std::string>& names) {
    StagedFiles files(folder);
    for (const auto& [name, bytes] : data) files.add(name, bytes);
    add_plot_files(files, plots);
    document.parts.insert(document.parts.begin(), {"curves", "Curves", plot_legend(names) + charts(plots)});
    files.add("report.html", document_page(document));
    files.publish_report("report");
    return folder / "report.html";
}

}  // namespace

Json verification_report_json(const VerificationEvaluations& evaluations,
                              const RecognitionReportContext& context) {
    Json json = report_json(evaluations, context, "verification", title_of(context, "Face verification"),
                            verification_to_json);
    if (!context.configuration.empty()) json["configuration"] = context.configuration;
    return json;
}

Json identification_report_json(const IdentificationEvaluations& evaluations,
                                const std::optional<PermutationEvaluation>& permutations,
                                const RecognitionReportContext& context) {
    Json json = report_json(evaluations, context, "identification", title_of(context, "Face identification"),
                            identification_to_json);
    if (permutations)
        json["permutation"] = permutation_to_json(*permutations, report::evaluation_names(evaluations));
    if (!context.configuration.empty()) json["configuration"] = context.configuration;
    return json;
}

void write_report_to_come(const std::filesystem::path& page, const std::string& title,
                          const std::vector<RelatedReport>& related) {
    make_output_folder(folder_above(page), "report");
    Document document;
    document.title = title;
    document.lead =
        "This report is not made yet: the run is still at work, or it was interrupted or failed before it "
        "came here.";
    document.related = related;
    replace_file(page, document_page(document));
}

std::filesystem::path write_verification_report(const std::filesystem::path& folder,
                                                const VerificationEvaluations& evaluations,
                                                const RecognitionReportContext& context) {
    make_output_folder(folder, "report");
    const std::vector<std::string> names = report::evaluation_names(evaluations);
    Document document = verification_document(evaluations, context);
    document.title = title_of(context, "Face verification");
    const std::vector<Plot> plots = verification_plots(evaluations, names);
    std::map<std::string, std::string> data{
        {"report.md", verification_markdown(evaluations, context, document, plots)},
        {"numbers.csv", verification_numbers_csv(evaluations)},
        {"curves.csv", verification_csv(evaluations)}};
    add_report(verification_report_json(evaluations, context), verification_units_text(evaluations), data);
    return publish(folder, data, document, plots, names);
}

std::filesystem::path write_identification_report(const std::filesystem::path& folder,
                                                  const IdentificationEvaluations& evaluations,
                                                  const std::optional<PermutationEvaluation>& permutations,
                                                  const RecognitionReportContext& context) {
    make_output_folder(folder, "report");
    const std::vector<std::string> names = report::evaluation_names(evaluations);
    Document document = identification_document(evaluations, permutations, context);
    document.title = title_of(context, "Face identification");
    const std::vector<Plot> plots = identification_plots(evaluations, permutations, names);
    std::map<std::string, std::string> data{
        {"report.md", identification_markdown(evaluations, permutations, context, document, plots)},
        {"numbers.csv", identification_numbers_csv(evaluations, permutations)},
        {"curves.csv", cmc_csv(evaluations)}};
    add_report(identification_report_json(evaluations, permutations, context),
               identification_units_text(evaluations), data);
    const std::string open_set = open_set_csv(evaluations);
    if (!open_set.empty()) data["open_set.csv"] = open_set;
    return publish(folder, data, document, plots, names);
}

}  // namespace fovea
