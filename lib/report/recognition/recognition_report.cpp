#include "lib/report/recognition/recognition_report.hpp"

#include <map>

#include "lib/core/csv.hpp"
#include "lib/core/error.hpp"
#include "lib/evaluate/recognition/recognition_json.hpp"
#include "lib/evaluate/recognition/score_curve.hpp"
#include "lib/evaluate/unit_record.hpp"
#include "lib/files/file.hpp"
#include "lib/files/folder.hpp"
#include "lib/files/sha256.hpp"
#include "lib/files/staged_files.hpp"
#include "lib/json/json.hpp"
#include "lib/json/json_member.hpp"
#include "lib/json/json_text.hpp"
#include "lib/numbers/json/numbers_json.hpp"
#include "lib/report/html/format.hpp"
#include "lib/report/page/document.hpp"
#include "lib/report/page/numbers_csv.hpp"
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

// Each recogniser's share in the permutations stands beside its own numbers.
std::string identification_numbers_csv(Json report, const std::string& name) {
    const auto permutation = report.find("permutation");
    if (permutation == report.end()) return numbers_csv(report, "recogniser", "identification", name);
    const Json all = *permutation;
    for (std::size_t i = 0; i < all["recognisers"].size(); ++i) {
        const Json& entry = all["recognisers"][i];
        Json& evaluation = report.contains("recognisers") ? report["recognisers"][i]["identification"]
                                                          : report["identification"];
        Json own{{"rank1_mean", entry["rank1_mean"]}, {"rank1_mean_ci95", entry["rank1_central95"]}};
        state_quantity("permutation.rank1_mean",
                       {"rank1_mean", "Mean rank-1",
                        "mean rank-1 over the permutations; the interval holds 95 % of them"},
                       evaluation);
        for (const Json& pair : member_of(all, "comparisons")) {
            const bool is_first = pair["first"] == entry["name"];
            if (!is_first && pair["second"] != entry["name"]) continue;
            own["better_than"][pair[is_first ? "second" : "first"].get<std::string>()] =
                pair[is_first ? "first_better" : "second_better"];
        }
        evaluation["permutation"] = std::move(own);
    }
    return numbers_csv(report, "recogniser", "identification", name);
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
                              const std::vector<DrawnPlot>& plots, const std::vector<std::string>& names) {
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
    if (permutations) json["permutation"] = permutation_to_json(*permutations, evaluation_names(evaluations));
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
    const std::vector<std::string> names = evaluation_names(evaluations);
    Document document = verification_document(evaluations, context);
    document.title = title_of(context, "Face verification");
    const std::vector<DrawnPlot> plots = verification_plots(evaluations, names);
    const Json report = verification_report_json(evaluations, context);
    std::map<std::string, std::string> data{
        {"report.md", verification_markdown(evaluations, context, document, plots)},
        {"numbers.csv", numbers_csv(report, "recogniser", "verification", names[0])},
        {"curves.csv", verification_csv(evaluations)}};
    add_report(report, verification_units_text(evaluations), data);
    return publish(folder, data, document, plots, names);
}

std::filesystem::path write_identification_report(const std::filesystem::path& folder,
                                                  const IdentificationEvaluations& evaluations,
                                                  const std::optional<PermutationEvaluation>& permutations,
                                                  const RecognitionReportContext& context) {
    make_output_folder(folder, "report");
    const std::vector<std::string> names = evaluation_names(evaluations);
    Document document = identification_document(evaluations, permutations, context);
    document.title = title_of(context, "Face identification");
    const std::vector<DrawnPlot> plots = identification_plots(evaluations, permutations, names);
    const Json report = identification_report_json(evaluations, permutations, context);
    std::map<std::string, std::string> data{
        {"report.md", identification_markdown(evaluations, permutations, context, document, plots)},
        {"numbers.csv", identification_numbers_csv(report, names[0])},
        {"curves.csv", cmc_csv(evaluations)}};
    add_report(report, identification_units_text(evaluations), data);
    const std::string open_set = open_set_csv(evaluations);
    if (!open_set.empty()) data["open_set.csv"] = open_set;
    return publish(folder, data, document, plots, names);
}

}  // namespace fovea
