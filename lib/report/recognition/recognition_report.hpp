#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "lib/evaluate/recognition/clustering.hpp"
#include "lib/evaluate/recognition/identification_evaluation.hpp"
#include "lib/evaluate/recognition/permutation.hpp"
#include "lib/evaluate/recognition/verification.hpp"
#include "lib/files/input_files.hpp"
#include "lib/json/json.hpp"
#include "lib/report/model/report_origin.hpp"
#include "lib/report/model/table.hpp"
#include "lib/report/page/verdicts.hpp"

namespace fovea {

struct RecognitionReportContext {
    /// Empty = from the data's name.
    std::string title;
    /// The data that recognisers were evaluated on, as the user named it.
    std::string data;
    /// Warnings on the data as a whole.
    std::vector<std::string> warnings;
    /// Shown in the report.
    Json configuration;
    /// Stands in the page alone.
    ReportOrigin origin{};
    /// Other reports of the same run.
    std::vector<RelatedReport> related{};
    /// The accuracy gate, whose verdicts stand in the report; may be empty.
    report::Judge judge{};
};

/// Recognisers' evaluations of one kind on one set, the first being the report's own; names are unique.
using VerificationEvaluations = std::vector<VerificationEvaluation>;
using IdentificationEvaluations = std::vector<IdentificationEvaluation>;
using ClusteringEvaluations = std::vector<ClusteringEvaluation>;

/// The numbers of report.json: {"format", "version", "title", "data", "verification" (the first
/// recogniser's), "recognisers" (all, where there are several), "configuration"}.
Json verification_report_json(const VerificationEvaluations& evaluations,
                              const RecognitionReportContext& context);

/// The numbers of report.json with "identification" in place of "verification", and "permutation" if there
/// is one.
Json identification_report_json(const IdentificationEvaluations& evaluations,
                                const std::optional<PermutationEvaluation>& permutations,
                                const RecognitionReportContext& context);

/// The numbers of report.json with "clustering" in place of "verification".
Json clustering_report_json(const ClusteringEvaluations& evaluations,
                            const RecognitionReportContext& context);

/// Writes report.json, numbers.csv (as for detectors, with counts and thresholds), curves.csv, the plots as
/// SVG and PDF, report.md and report.html into the folder, which is made if it is not there. Plots of an
/// earlier report that this one lacks are removed.
/// \return the path of report.html. \throws Error if a file cannot be written, or if a plot cannot be drawn;
/// the numbers are then written as publish_report() says.
std::filesystem::path write_verification_report(const OutputFolder& folder,
                                                const VerificationEvaluations& evaluations,
                                                const RecognitionReportContext& context);
/// Does what write_verification_report() does; also writes open_set.csv if there are unmated probes.
std::filesystem::path write_identification_report(const OutputFolder& folder,
                                                  const IdentificationEvaluations& evaluations,
                                                  const std::optional<PermutationEvaluation>& permutations,
                                                  const RecognitionReportContext& context);
/// Does what write_verification_report() does, without curves and plots.
std::filesystem::path write_clustering_report(const OutputFolder& folder,
                                              const ClusteringEvaluations& evaluations,
                                              const RecognitionReportContext& context);

/// The tables for a terminal: every number and the counts behind them.
std::vector<report::Table> verification_summary(const VerificationEvaluations& evaluations);
std::vector<report::Table> identification_summary(const IdentificationEvaluations& evaluations,
                                                  const std::optional<PermutationEvaluation>& permutations);
std::vector<report::Table> clustering_summary(const ClusteringEvaluations& evaluations);

/// Writes a page that says that a report is not made yet, so that links to the report work until it
/// is written.
/// \param page report.html; its folder, below the folder of the run, is made. \throws Error if the file
/// cannot be written.
void write_report_to_come(const std::filesystem::path& page, const std::string& title,
                          const std::vector<RelatedReport>& related);

}  // namespace fovea
