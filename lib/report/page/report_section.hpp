#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "lib/dataset/dataset.hpp"
#include "lib/files/staged_files.hpp"
#include "lib/report/page/document.hpp"
#include "lib/report/page/markdown.hpp"
#include "lib/report/page/report_context.hpp"

namespace fovea::report {

/// The part of a page for one kind of evaluation.
struct SectionPage {
    std::string lead;                 ///< HTML: what was evaluated and what came out, in a paragraph
    std::string protocol;             ///< plain text: what counts
    std::string headline;             ///< HTML: the numbers that stand out
    std::vector<DocumentPart> parts;  ///< all that is this kind's own
    std::string definitions;          ///< HTML: what the numbers mean
    std::vector<std::string> warnings;
    std::string without_result;  ///< HTML: on images without a result, where it is not known which they are
    std::string files;           ///< plain text: "the points of the curves in curves.csv"
    std::string style;           ///< further CSS rules; may be empty
};

/// One kind of evaluation in a report: of detections, or of landmarks. Everything is made in three steps, of
/// which the later ones take longer and may fail.
class ReportSection {
  public:
    virtual ~ReportSection() = default;

    virtual std::string subject() const = 0;                    ///< "detection", "landmarks"
    virtual std::string competitors() const = 0;                ///< "detectors", "landmarkers"
    virtual const std::vector<std::string>& names() const = 0;  ///< of these

    /// Adds its members of report.json and its files of numbers.
    virtual void add_numbers(Json& json, StagedFiles& files) const = 0;
    /// Draws its plots and adds their files. \throws Error as run_gnuplot().
    virtual void add_plots(StagedFiles& files) = 0;
    /// The numbers and plots as Markdown; after add_plots().
    virtual MarkdownPage markdown() const = 0;
    /// Cuts the pictures and makes the page; after add_plots().
    virtual SectionPage page() = 0;
};

/// Writes a report of one or two sections: report.json, their files of numbers and plots, report.md and
/// report.html, in the way that write_detection_report() describes. \return the path of report.html.
std::filesystem::path write_sections(const std::filesystem::path& folder, const Dataset& dataset,
                                     const ReportContext& context,
                                     const std::vector<std::unique_ptr<ReportSection>>& sections);

/// The part of a page that all sections share: warnings, definitions, origin, configuration and manifest.
std::string background_html(const Dataset& dataset, const ReportContext& context,
                            const std::vector<std::string>& subjects, const std::vector<SectionPage>& pages);

}  // namespace fovea::report
