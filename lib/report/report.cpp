#include "lib/report/report.hpp"

#include <algorithm>
#include <set>
#include <system_error>

#include "lib/core/error.hpp"
#include "lib/core/sha256.hpp"
#include "lib/evaluate/detection_json.hpp"
#include "lib/evaluate/record.hpp"
#include "lib/report/analysis_plots.hpp"
#include "lib/report/csv.hpp"
#include "lib/report/format.hpp"
#include "lib/report/gallery.hpp"
#include "lib/report/markdown.hpp"
#include "lib/report/page.hpp"
#include "lib/report/page_errors.hpp"
#include "lib/report/plots.hpp"
#include "lib/report/skipped.hpp"
#include "lib/report/staged_files.hpp"
#include "lib/report/thumbnails.hpp"

namespace fovea {
namespace {

using namespace report;

/// Misses and false alarms shown of every detector but the first, each: a comparison must stay a page.
constexpr int thumbnails_of_further_detectors = 8;

/// From which the evaluation can be made again, see record.hpp.
constexpr const char* record_file = "evaluated.jsonl";

/// The numbers of evaluation are equal bytes for equal work; what took how long is not part of the report.
Json manifest_summary(const Json& manifest) {
    if (!manifest.is_object()) return manifest;
    Json summary = manifest;
    for (const char* key : {"configuration", "timings", "energy"}) summary.erase(key);
    return summary;
}

Json dataset_json(const Dataset& dataset, const DetectionEvaluation& evaluation) {
    const auto annotated = std::count_if(dataset.samples.begin(), dataset.samples.end(),
                                         [](const Sample& sample) { return sample.annotated; });
    Json json;
    json["name"] = dataset.name;
    json["format"] = dataset.format;
    json["images"] = dataset.samples.size();
    json["images_annotated"] = annotated;
    json["faces"] = evaluation.faces;
    json["faces_ignored"] = evaluation.faces_ignored;
    return json;
}

Json report_json(const std::string& title, const Dataset& dataset,
                 const std::vector<DetectionEvaluation>& evaluations, const std::vector<std::string>& names,
                 const std::vector<DetectionAnalysis>& analyses, const ReportContext& context,
                 const std::string& record) {
    const auto detection_json = [&](std::size_t i) {
        Json detection = detection_evaluation_to_json(evaluations[i]);
        detection.update(analysis_to_json(dataset, analyses[i]));
        return detection;
    };
    Json json;
    json["format"] = "fovea-report";
    json["version"] = 1;
    json["title"] = title;
    json["dataset"] = dataset_json(dataset, evaluations[0]);
    json["detection"] = detection_json(0);
    if (evaluations.size() > 1) {
        json["detectors"] = Json::array();
        for (std::size_t i = 0; i < evaluations.size(); ++i) {
            Json detector;
            detector["name"] = names[i];
            detector["detection"] = detection_json(i);
            json["detectors"].push_back(std::move(detector));
        }
    }
    for (const auto& [name, calibration] : context.box_calibrations)
        json["box_calibration"][name] = calibration;
    if (!context.skipped.empty()) {
        json["skipped"] = Json::array();
        for (const SkippedGroup& group : grouped_by_detector(context.skipped, evaluations.size())) {
            Json entry;
            entry["image"] = group.image;
            entry["reason"] = group.reason;
            if (!group.detectors.empty()) entry["detectors"] = group.detectors;
            json["skipped"].push_back(std::move(entry));
        }
    }
    json["evaluated"] = {{"file", record_file}, {"sha256", sha256_of(record)}};
    if (!context.configuration.empty()) json["configuration"] = context.configuration;
    if (!context.manifest.empty()) json["manifest"] = manifest_summary(context.manifest);
    return json;
}

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
std::vector<Gallery> make_galleries(const Dataset& dataset,
                                    const std::vector<DetectionEvaluation>& evaluations,
                                    const ReportContext& context) {
    std::vector<Gallery> galleries(evaluations.size());
    std::vector<Exhibit> exhibits;
    for (std::size_t i = 0; i < evaluations.size(); ++i) {
        const int wanted =
            i == 0 ? context.thumbnails : std::min(context.thumbnails, thumbnails_of_further_detectors);
        const auto limit = static_cast<std::size_t>(std::max(0, wanted));
        galleries[i].misses = largest_misses(dataset, evaluations[i], limit,
                                             images_without_result(context.skipped, evaluations[i].name));
        galleries[i].false_alarms = highest_false_alarms(dataset, evaluations[i], limit);
        exhibits.insert(exhibits.end(), galleries[i].misses.begin(), galleries[i].misses.end());
        exhibits.insert(exhibits.end(), galleries[i].false_alarms.begin(), galleries[i].false_alarms.end());
    }
    const std::vector<Thumbnail> thumbnails = cut_thumbnails(dataset, exhibits, context.decode);
    auto next = thumbnails.begin();
    for (Gallery& gallery : galleries) {
        const auto take = [&](std::size_t count) {
            const auto end = next + static_cast<std::ptrdiff_t>(count);
            std::vector<Thumbnail> taken(next, end);
            next = end;
            return taken;
        };
        gallery.miss_thumbnails = take(gallery.misses.size());
        gallery.false_alarm_thumbnails = take(gallery.false_alarms.size());
    }
    return galleries;
}

}  // namespace

std::filesystem::path write_detection_report(const std::filesystem::path& folder, const Dataset& dataset,
                                             const std::vector<DetectionEvaluation>& evaluations,
                                             const ReportContext& context) {
    if (evaluations.empty()) throw Error("There is no evaluation to report.");
    make_output_folder(folder, "report");
    const std::vector<std::string> names = display_names(evaluations);
    const std::string title =
        context.title.empty() ? default_title("Face detection", dataset.name) : context.title;

    std::vector<DetectionAnalysis> analyses;
    for (const DetectionEvaluation& evaluation : evaluations) {
        analyses.push_back(analyse_detection(dataset, evaluation, context.analysis,
                                             context.appearance ? &*context.appearance : nullptr));
    }

    StagedFiles files(folder);
    const std::string record = evaluation_record_text(dataset, evaluations);
    files.add(record_file, record);
    files.add("report.json", report_json(title, dataset, evaluations, names, analyses, context, record)
                                     .dump(2, ' ', false, Json::error_handler_t::replace) +
                                 "\n");
    files.add("curves.csv", curves_csv(evaluations, names));
    files.add("numbers.csv", numbers_csv(evaluations, names));
    const std::filesystem::path page = folder / "report.html";
    try {
        PageContent content{title, dataset, evaluations,
                            names, context, detection_plots(evaluations, names, context.references),
                            {},    {}};
        const std::vector<Plot> explaining = analysis_plots(analyses[0]);
        content.analysis =
            analysis_parts(dataset, analyses[0], explaining, evaluations.size() > 1 ? names[0] : "");
        add_plot_files(files, content.plots);
        add_plot_files(files, explaining);
        files.add("report.md", report_markdown(content));
        content.galleries = make_galleries(dataset, evaluations, context);
        files.add(page.filename().string(), report_page(content));
    } catch (...) {
        // The numbers stay usable, but not beside the page of another evaluation.
        std::error_code ignored;
        if (!std::filesystem::exists(page, ignored)) files.publish();
        throw;
    }
    files.publish();
    return page;
}

}  // namespace fovea
