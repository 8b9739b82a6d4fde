#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lib/dataset/dataset.hpp"
#include "lib/files/staged_files.hpp"
#include "lib/report/model/report.hpp"
#include "lib/report/page/report_context.hpp"
#include "lib/report/write/latex.hpp"

namespace fovea::report {

/// The content of a report on one kind of evaluation.
struct PartContent {
    std::vector<Text> lead;
    /// The rule by which a hit counts.
    std::string protocol;
    std::vector<Block> headline;
    std::vector<Section> sections;
    std::vector<OperatingCurve> operating{};
    /// See Report::samples.
    std::string samples{};
    /// The meaning of the numbers.
    Definitions definitions;
    std::vector<std::string> warnings;
    /// Blocks on images without a result, if it is not known which images these are.
    std::vector<Block> without_result{};
    /// The content of the part's files, in words: "the points of the curves in curves.csv".
    std::string files;
};

/// One kind of evaluation in a report. Its numbers come first: what is shown takes longer and may fail.
class ReportPart {
  public:
    virtual ~ReportPart() = default;

    /// "detection", "landmarks"
    virtual std::string subject() const = 0;
    /// "detectors", "landmarkers"
    virtual std::string competitors() const = 0;
    virtual const std::vector<std::string>& names() const = 0;

    /// Adds its members of report.json and its files of numbers.
    virtual void add_numbers(Json& json, StagedFiles& files) const = 0;
    /// Cuts pictures, and adds the ones that are files of their own.
    /// \throws Error if a picture cannot be made.
    virtual PartContent content(StagedFiles& files) const = 0;
};

/// Writes a report of one or two parts: report.json, the parts' files of numbers, report.md, report.html and
/// the plots as SVG and PDF, as write_detection_report() describes. \return the path of report.html.
/// \throws Error as run_gnuplot(); the numbers are written before.
std::filesystem::path write_parts(const OutputFolder& folder, const Dataset& dataset,
                                  const ReportContext& context,
                                  const std::vector<std::unique_ptr<ReportPart>>& parts);

/// A section of when, where and by what a report was made. \param manifest as run.json; may be empty.
Section origin_section(const ReportOrigin& origin, const Json& manifest);
/// A closed part of JSON that has no place on paper.
Section listing_section(const std::string& id, const std::string& title, const Json& json);
/// Sentences, folded if they are many; empty without any.
Section warning_section(const std::vector<std::string>& sentences);

/// Adds the page, the Markdown and the figures of a report. \throws Error as run_gnuplot().
void add_report_files(StagedFiles& files, const Report& report, const std::string& stem);

/// Publishes the numbers that are staged, and the page, the Markdown and the figures of a report. If `make`
/// or a plot fails, it publishes the numbers alone, unless they would stand beside another report's page.
/// \param make makes the report; it may add files. \param stem of the files' names: "report", "training".
/// \param latex if given, STEM.tex is written, too. \return the path of the page.
/// \throws what `make` and run_gnuplot() throw.
std::filesystem::path publish_report(StagedFiles& files, const std::function<Report()>& make,
                                     const std::string& stem = "report",
                                     std::optional<LatexIntervals> latex = std::nullopt);
/// Publishes a report that is made already.
std::filesystem::path publish_report(StagedFiles& files, const Report& report,
                                     const std::string& stem = "report");

}  // namespace fovea::report
