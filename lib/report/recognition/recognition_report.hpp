#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

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
    /// Evaluated on this, as the user named it.
    std::string data;
    /// Warnings on the data as a whole.
    std::vector<std::string> warnings;
    /// Shown in the report.
    Json configuration;
    /// In the page alone.
    ReportOrigin origin{};
    /// Other reports of the same run.
    std::vector<RelatedReport> related{};
    /// The accuracy gate, whose verdicts stand in the report; may be empty.
    report::Judge judge{};
};

/// Recognisers' evaluations of one kind on one set, the first being the report's own; names are unique.
using VerificationEvaluations = std::vector<VerificationEvaluation>;
using IdentificationEvaluations = std::vector<IdentificationEvaluation>;

/// The numbers of report.json: {"format", "version", "title", "data", "verification" (the first
/// recogniser's), "recognisers" (all, where there are several), "configuration"}.
Json verification_report_json(const VerificationEvaluations& evaluations,
                              const RecognitionReportContext& context);

/// Likewise with "identification", and "permutation" where there is one.
Json identification_report_json(const IdentificationEvaluations& evaluations,
                                const std::optional<PermutationEvaluation>& permutations,
                                const RecognitionReportContext& context);

/// Writes report.json, numbers.csv (as detectors', with counts and thresholds), curves.csv, the plots as SVG
/// and PDF, report.md and report.html into the folder, which is made if it is not there; plots that an
/// earlier report there had and this one has not are removed.
/// \return report.html. \throws Error if a file cannot be written, or if a plot cannot be drawn: then the
/// numbers are written as publish_report() says.
std::filesystem::path write_verification_report(const OutputFolder& folder,
                                                const VerificationEvaluations& evaluations,
                                                const RecognitionReportContext& context);
/// Likewise; with open_set.csv where there are unmated probes.
std::filesystem::path write_identification_report(const OutputFolder& folder,
                                                  const IdentificationEvaluations& evaluations,
                                                  const std::optional<PermutationEvaluation>& permutations,
                                                  const RecognitionReportContext& context);

/// The tables of a terminal: every number and the counts behind them.
std::vector<report::Table> verification_summary(const VerificationEvaluations& evaluations);
std::vector<report::Table> identification_summary(const IdentificationEvaluations& evaluations,
                                                  const std::optional<PermutationEvaluation>& permutations);

/// Writes a page in place of one of these reports, for the links that lead there until it is written: that it
/// is not made yet. \param page report.html; its folder, below that of the run, is made. \throws Error if the
/// file cannot be written.
void write_report_to_come(const std::filesystem::path& page, const std::string& title,
                          const std::vector<RelatedReport>& related);

}  // namespace fovea
