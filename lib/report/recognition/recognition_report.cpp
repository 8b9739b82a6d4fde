#include "lib/report/recognition/recognition_report.hpp"

#include <utility>

#include "lib/core/csv.hpp"
#include "lib/evaluate/recognition/recognition_json.hpp"
#include "lib/evaluate/unit_record.hpp"
#include "lib/files/file.hpp"
#include "lib/files/folder.hpp"
#include "lib/files/sha256.hpp"
#include "lib/files/staged_files.hpp"
#include "lib/json/json.hpp"
#include "lib/json/json_member.hpp"
#include "lib/json/json_text.hpp"
#include "lib/numbers/json/numbers_json.hpp"
#include "lib/report/model/names.hpp"
#include "lib/report/page/numbers_csv.hpp"
#include "lib/report/page/report_part.hpp"
#include "lib/report/recognition/recognition_content.hpp"
#include "lib/report/write/page.hpp"

namespace fovea {
namespace {

using namespace report;

/// A report's members but for its configuration. \param kind "Face verification"
template <class Evaluations, class ToJson>
Json report_json(const Evaluations& evaluations, const RecognitionReportContext& context, const char* key,
                 const std::string& kind, ToJson&& to_json) {
    Json json;
    json["format"] = "fovea-report";
    json["version"] = 1;
    json["title"] = context.title.empty() ? default_title(kind, context.data) : context.title;
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

/// The configuration stands last.
Json configured(Json json, const RecognitionReportContext& context) {
    if (!context.configuration.empty()) json["configuration"] = context.configuration;
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

/// The files of a kind of report beside its page, and its numbers.
struct ReportFiles {
    Json json;  ///< report.json, without verdicts
    std::string numbers_csv;
    std::vector<std::pair<const char*, std::string>> curves;  ///< names and bytes; without bytes: no file
    std::string units;                                        ///< the record of the units; may be empty
};

/// Lets the gates judge, and writes the files and the page, which says the verdicts.
std::filesystem::path write_report(const OutputFolder& folder, const RecognitionReportContext& context,
                                   ReportFiles parts, Report report) {
    const Section verdicts = verdict_section(judge_report(context.judge, parts.json));
    StagedFiles files(folder, "report");
    files.add("numbers.csv", parts.numbers_csv);
    for (const auto& [name, bytes] : parts.curves)
        if (!bytes.empty()) files.add(name, bytes);
    report.title = parts.json["title"].get<std::string>();
    if (!parts.units.empty()) {
        parts.json["units"] = {{"file", units_file}, {"sha256", sha256_of(parts.units)}};
        files.add(units_file, parts.units);
    }
    files.add("report.json", indented_text(parts.json) + "\n");
    report.headline.insert(report.headline.begin(), verdicts);
    return publish_report(files, report);
}

}  // namespace

Json verification_report_json(const VerificationEvaluations& evaluations,
                              const RecognitionReportContext& context) {
    return configured(
        report_json(evaluations, context, "verification", "Face verification", verification_to_json),
        context);
}

Json identification_report_json(const IdentificationEvaluations& evaluations,
                                const std::optional<PermutationEvaluation>& permutations,
                                const RecognitionReportContext& context) {
    Json json =
        report_json(evaluations, context, "identification", "Face identification", identification_to_json);
    if (permutations) json["permutation"] = permutation_to_json(*permutations, evaluation_names(evaluations));
    return configured(std::move(json), context);
}

Json clustering_report_json(const ClusteringEvaluations& evaluations,
                            const RecognitionReportContext& context) {
    return configured(report_json(evaluations, context, "clustering", "Groups of faces", clustering_to_json),
                      context);
}

void write_report_to_come(const std::filesystem::path& page, const std::string& title,
                          const std::vector<RelatedReport>& related) {
    make_output_folder(folder_above(page), "report");
    Report report;
    report.title = title;
    report.lead = {{Run::plain(
        "This report is not made yet: the run is still at work, or it was interrupted or failed before it "
        "came here.")}};
    report.related = related;
    replace_file(page, page_of(report));
}

std::filesystem::path write_verification_report(const OutputFolder& folder,
                                                const VerificationEvaluations& evaluations,
                                                const RecognitionReportContext& context) {
    Json json = verification_report_json(evaluations, context);
    std::string numbers = numbers_csv(json, "recogniser", "verification", evaluations[0].name);
    return write_report(folder, context,
                        {std::move(json),
                         std::move(numbers),
                         {{"curves.csv", verification_csv(evaluations)}},
                         verification_units_text(evaluations)},
                        verification_content(evaluations, context));
}

std::filesystem::path write_identification_report(const OutputFolder& folder,
                                                  const IdentificationEvaluations& evaluations,
                                                  const std::optional<PermutationEvaluation>& permutations,
                                                  const RecognitionReportContext& context) {
    Json json = identification_report_json(evaluations, permutations, context);
    std::string numbers = identification_numbers_csv(json, evaluations[0].name);
    return write_report(folder, context,
                        {std::move(json),
                         std::move(numbers),
                         {{"curves.csv", cmc_csv(evaluations)}, {"open_set.csv", open_set_csv(evaluations)}},
                         identification_units_text(evaluations)},
                        identification_content(evaluations, permutations, context));
}

std::filesystem::path write_clustering_report(const OutputFolder& folder,
                                              const ClusteringEvaluations& evaluations,
                                              const RecognitionReportContext& context) {
    Json json = clustering_report_json(evaluations, context);
    std::string numbers = numbers_csv(json, "recogniser", "clustering", evaluations[0].name);
    return write_report(folder, context, {std::move(json), std::move(numbers), {}, {}},
                        clustering_content(evaluations, context));
}

}  // namespace fovea
