#include "lib/report/detection/detection_report.hpp"

#include <algorithm>
#include <set>

#include <spdlog/spdlog.h>

#include "lib/core/error.hpp"
#include "lib/evaluate/detection/detection_json.hpp"
#include "lib/evaluate/record.hpp"
#include "lib/files/sha256.hpp"
#include "lib/json/json.hpp"
#include "lib/report/detection/analysis_plots.hpp"
#include "lib/report/detection/detection_markdown.hpp"
#include "lib/report/detection/detection_plots.hpp"
#include "lib/report/detection/page.hpp"
#include "lib/report/detection/page_errors.hpp"
#include "lib/report/html/csv.hpp"
#include "lib/report/html/format.hpp"
#include "lib/report/page/exhibits.hpp"
#include "lib/report/page/numbers_csv.hpp"
#include "lib/report/page/report_context.hpp"
#include "lib/report/page/report_section.hpp"
#include "lib/report/page/thumbnails.hpp"
#include "lib/report/plots/plot.hpp"

namespace fovea {
namespace {

using namespace report;

/// Misses and false alarms shown of every detector but the first, each: a comparison must stay a page.
constexpr int thumbnails_of_further_detectors = 8;

/// From which the evaluation can be made again, see record.hpp.
constexpr const char* record_file = "evaluated.jsonl";

/// Skipped images of one detector, by name; an entry without detector holds for all.
std::set<std::string> images_without_result(const std::vector<SkippedImage>& skipped,
                                            const std::string& detector) {
    std::set<std::string> images;
    for (const SkippedImage& entry : skipped) {
        if (entry.detector.empty() || entry.detector == detector) images.insert(entry.image);
    }
    return images;
}

/// Chooses the pictures of all detectors first, then cuts them in one go, so that every image is read once.
/// \param missing receives missing_pictures().
std::vector<Thumbnails> find_worst_cases(const Dataset& dataset,
                                         const std::vector<DetectionEvaluation>& evaluations,
                                         const ReportContext& context, std::string& missing) {
    std::vector<Thumbnails> worst_cases(evaluations.size());
    std::vector<Exhibit> exhibits;
    for (std::size_t i = 0; i < evaluations.size(); ++i) {
        const int wanted =
            i == 0 ? context.thumbnails : std::min(context.thumbnails, thumbnails_of_further_detectors);
        const auto limit = static_cast<std::size_t>(std::max(0, wanted));
        worst_cases[i].misses = largest_misses(dataset, evaluations[i], limit,
                                               images_without_result(context.skipped, evaluations[i].name));
        worst_cases[i].false_alarms = highest_false_alarms(dataset, evaluations[i], limit);
        exhibits.insert(exhibits.end(), worst_cases[i].misses.begin(), worst_cases[i].misses.end());
        exhibits.insert(exhibits.end(), worst_cases[i].false_alarms.begin(),
                        worst_cases[i].false_alarms.end());
    }
    const std::vector<Thumbnail> thumbnails = cut_thumbnails(dataset, exhibits, context.decode);
    missing = missing_pictures(dataset, exhibits, thumbnails);
    auto next = thumbnails.begin();
    for (Thumbnails& pictures : worst_cases) {
        const auto take = [&](std::size_t count) {
            const auto end = next + static_cast<std::ptrdiff_t>(count);
            std::vector<Thumbnail> taken(next, end);
            next = end;
            return taken;
        };
        pictures.miss_thumbnails = take(pictures.misses.size());
        pictures.false_alarm_thumbnails = take(pictures.false_alarms.size());
    }
    return worst_cases;
}

class DetectionSection : public ReportSection {
  public:
    DetectionSection(const Dataset& dataset, const std::vector<DetectionEvaluation>& evaluations,
                     const ReportContext& context)
        : content_{dataset, evaluations, display_names(evaluations), context, {}, {}, {}, {}} {
        for (const DetectionEvaluation& evaluation : evaluations) {
            analyses_.push_back(analyse_detection(dataset, evaluation, context.analysis,
                                                  context.appearance ? &*context.appearance : nullptr));
        }
    }

    std::string subject() const override { return "detection"; }
    std::string competitors() const override { return "detectors"; }
    const std::vector<std::string>& names() const override { return content_.names; }

    void add_numbers(Json& json, StagedFiles& files) const override {
        const auto& evaluations = content_.evaluations;
        json["dataset"]["faces"] = evaluations[0].faces;
        json["dataset"]["faces_ignored"] = evaluations[0].faces_ignored;
        json["detection"] = detection_json(0);
        if (evaluations.size() > 1) {
            json["detectors"] = Json::array();
            for (std::size_t i = 0; i < evaluations.size(); ++i) {
                json["detectors"].push_back({{"name", content_.names[i]}, {"detection", detection_json(i)}});
            }
        }
        for (const auto& [name, calibration] : content_.context.box_calibrations) {
            json["box_calibration"][name] = calibration;
        }
        const std::string record = evaluation_record_text(content_.dataset, evaluations);
        json["evaluated"] = {{"file", record_file}, {"sha256", sha256_of(record)}};
        files.add(record_file, record);
        files.add("curves.csv", curves_csv(evaluations, content_.names));
        files.add("numbers.csv", numbers_csv(json, "detector", "detection", content_.names[0]));
    }

    void add_plots(StagedFiles& files) override {
        content_.plots = detection_plots(content_.evaluations, content_.names, content_.context.references);
        const std::vector<DrawnPlot> explaining = analysis_plots(analyses_, content_.names);
        content_.analysis = analysis_parts(content_.dataset, {analyses_, content_.names, explaining});
        add_plot_files(files, content_.plots);
        add_plot_files(files, explaining);
    }

    MarkdownPage markdown() const override { return detection_markdown(content_); }

    SectionPage page() override {
        content_.worst_cases = find_worst_cases(content_.dataset, content_.evaluations, content_.context,
                                                content_.missing_pictures);
        if (!content_.missing_pictures.empty()) spdlog::warn("{}", content_.missing_pictures);
        return detection_page(content_);
    }

  private:
    Json detection_json(std::size_t i) const {
        Json detection = detection_evaluation_to_json(content_.evaluations[i]);
        add_analysis(content_.dataset, analyses_[i], detection);
        return detection;
    }

    PageContent content_;
    std::vector<DetectionAnalysis> analyses_;
};

}  // namespace

std::unique_ptr<ReportSection> report::detection_section(const Dataset& dataset,
                                                         const std::vector<DetectionEvaluation>& evaluations,
                                                         const ReportContext& context) {
    if (evaluations.empty()) throw Error("There is no evaluation to report.");
    return std::make_unique<DetectionSection>(dataset, evaluations, context);
}

std::filesystem::path write_detection_report(const std::filesystem::path& folder, const Dataset& dataset,
                                             const std::vector<DetectionEvaluation>& evaluations,
                                             const ReportContext& context) {
    std::vector<std::unique_ptr<ReportSection>> sections;
    sections.push_back(detection_section(dataset, evaluations, context));
    return write_sections(folder, dataset, context, sections);
}

}  // namespace fovea
