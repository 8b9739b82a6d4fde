#include "lib/report/detection/detection_report.hpp"

#include "lib/core/error.hpp"
#include "lib/evaluate/protocols/detection_json.hpp"
#include "lib/evaluate/record.hpp"
#include "lib/files/sha256.hpp"
#include "lib/json/json.hpp"
#include "lib/report/detection/detection_content.hpp"
#include "lib/report/detection/detection_csv.hpp"
#include "lib/report/detection/detection_plots.hpp"
#include "lib/report/model/names.hpp"
#include "lib/report/page/numbers_csv.hpp"
#include "lib/report/page/report_part.hpp"

namespace fovea {
namespace {

using namespace report;

/// From which the evaluation can be made again, see record.hpp.
constexpr const char* record_file = "evaluated.jsonl";

/// "detection" of the first and "detectors" with the names of all.
template <class DetectionJson>
Json detectors_json(const std::vector<std::string>& names, DetectionJson detection_json) {
    Json json;
    json["detectors"] = Json::array();
    for (std::size_t i = 0; i < names.size(); ++i)
        json["detectors"].push_back({{"name", names[i]}, {"detection", detection_json(i)}});
    json["detection"] = json["detectors"][0]["detection"];
    return json;
}

class DetectionPart : public ReportPart {
  public:
    DetectionPart(const Dataset& dataset, const std::vector<DetectionEvaluation>& evaluations,
                  const ReportContext& context)
        : detectors_{dataset, evaluations, display_names(evaluations), {}, context} {
        DetectionAnalysisOptions options = context.analysis;
        if (!options.operating_point) options.operating_point = common_point(evaluations);
        for (const DetectionEvaluation& evaluation : evaluations) {
            detectors_.analyses.push_back(analyse_detection(
                dataset, evaluation, options, context.appearance ? &*context.appearance : nullptr));
        }
    }

    std::string subject() const override { return "detection"; }
    std::string competitors() const override { return "detectors"; }
    const std::vector<std::string>& names() const override { return detectors_.names; }

    void add_numbers(Json& json, StagedFiles& files) const override {
        const auto& [dataset, evaluations, names, analyses, context] = detectors_;
        json["dataset"]["faces"] = evaluations[0].faces;
        json["dataset"]["faces_ignored"] = evaluations[0].faces_ignored;
        json.update(detectors_json(names, [this](std::size_t i) {
            Json detection = detection_evaluation_to_json(detectors_.evaluations[i]);
            add_analysis(detectors_.dataset, detectors_.analyses[i], detection);
            return detection;
        }));
        if (evaluations.size() == 1) json.erase("detectors");
        for (const auto& [name, calibration] : context.box_calibrations)
            json["box_calibration"][name] = calibration;
        const std::string record = evaluation_record_text(dataset, evaluations);
        json["evaluated"] = {{"file", record_file}, {"sha256", sha256_of(record)}};
        files.add(record_file, record);
        files.add("curves.csv", curves_csv(evaluations, names));
        files.add("numbers.csv", numbers_csv(json, "detector", "detection", names[0]));
    }

    PartContent content(StagedFiles& files) const override {
        PartContent content = detection_content(detectors_);
        content.samples = add_samples(files, detectors_);
        return content;
    }

  private:
    DetectorsCompared detectors_;
};

}  // namespace

Json detection_report_numbers(const std::vector<DetectionEvaluation>& evaluations) {
    constexpr std::size_t max_curve_points = 100;
    return detectors_json(display_names(evaluations), [&](std::size_t i) {
        return detection_evaluation_to_json(evaluations[i], max_curve_points);
    });
}

std::unique_ptr<ReportPart> report::detection_part(const Dataset& dataset,
                                                   const std::vector<DetectionEvaluation>& evaluations,
                                                   const ReportContext& context) {
    if (evaluations.empty()) throw Error("There is no evaluation to report.");
    return std::make_unique<DetectionPart>(dataset, evaluations, context);
}

std::filesystem::path write_detection_report(const OutputFolder& folder, const Dataset& dataset,
                                             const std::vector<DetectionEvaluation>& evaluations,
                                             const ReportContext& context) {
    std::vector<std::unique_ptr<ReportPart>> parts;
    parts.push_back(detection_part(dataset, evaluations, context));
    return write_parts(folder, dataset, context, parts);
}

}  // namespace fovea
