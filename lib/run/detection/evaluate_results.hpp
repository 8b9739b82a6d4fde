#pragma once

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <spdlog/spdlog.h>

#include "lib/config/config.hpp"
#include "lib/core/job_hooks.hpp"
#include "lib/evaluate/analysis/operating_point.hpp"
#include "lib/evaluate/detection/box_format.hpp"
#include "lib/files/input_files.hpp"
#include "lib/job/detection_job.hpp"
#include "lib/json/json.hpp"
#include "lib/report/detection/detection_report.hpp"
#include "lib/report/page/late_report.hpp"
#include "lib/report/page/report_context.hpp"
#include "lib/report/page/skipped.hpp"
#include "lib/report/plots/reference_curve.hpp"
#include "lib/report/stored/report_threshold.hpp"
#include "lib/results/formats/read_results.hpp"
#include "lib/results/results.hpp"

namespace fovea {

/// Results to be evaluated and the name that they have in legends.
struct NamedResults {
    std::string name;
    std::string specification;                ///< as read_results takes it
    std::shared_ptr<ResultsReader> reader{};  ///< reads them ahead; or nullptr
    BoxFormat box_format = BoxFormat::xywh;

    /// Reads the results and converts their boxes. If there is a reader, this can be called once.
    DetectionResults read(const Dataset& dataset) const {
        DetectionResults results =
            reader != nullptr ? reader->read(dataset) : read_results(specification, dataset);
        convert_boxes(box_format, results, specification);
        return results;
    }
};

/// Names results files by the detector, if the manifest beside the file tells it, else by the file's name
/// without extension and without "results-". Several results of one detector are named after their files or
/// folders; names that are still equal are numbered.
std::vector<NamedResults> name_results(const std::vector<std::string>& specifications);

/// Adds the files of a dataset and of results to the inputs.
void add_inputs(const Dataset& dataset, const std::vector<NamedResults>& results, InputFiles inputs);

/// The manifest beside a results file; null unless it names the file with its present SHA-256.
Json find_manifest(const std::string& specification);

/// The results that an evaluation is of, and its report.
struct ResultsRequest {
    std::vector<NamedResults> results;
    ReportConfig report;
    DecodeOptions decode;  ///< as when detecting
    /// The report's folder; none: no report is written. The dataset and the results are added to its inputs.
    std::optional<OutputFolder> folder;
    Json configuration;  ///< shown in the report

    /// Tells the context of a report what this asks for.
    void describe(ReportContext& context) const;
    /// Writes the report of an evaluation as its last stage. \param write returns the page.
    template <class Write>
    void write_report(const Dataset& dataset, const JobHooks& hooks, LateReport& late,
                      const Write& write) const {
        hooks.begin_stage("writing the report");
        add_inputs(dataset, results, folder->inputs());
        late.write(write);
    }
    /// Evaluates the results one after the other and logs warnings. \param read gives the results of a
    /// NamedResults. \param evaluate is given results, their name and a ShareProgress. \param skipped
    /// receives the images without a result. \return false if it was cancelled.
    template <class Evaluation, class Read, class Evaluate>
    bool evaluate_each(const Dataset& dataset, const JobHooks& hooks, const Read& read,
                       const Evaluate& evaluate, std::vector<Evaluation>& evaluations,
                       std::vector<SkippedImage>& skipped) const {
        hooks.begin_stage("evaluating");
        for (const NamedResults& named : results) {
            const DetectionResults found = read(named);
            evaluations.push_back(
                evaluate(found, named.name, share_hook(hooks, evaluations.size(), results.size())));
            for (const std::string& warning : evaluations.back().warnings)
                spdlog::warn("{}: {}", named.name, warning);
            std::ranges::move(images_without_results(dataset, found, named.name),
                              std::back_inserter(skipped));
            if (hooks.is_cancelled()) return false;
        }
        return true;
    }
};

struct EvaluationRequest : ResultsRequest {
    EvaluationConfig evaluation;  ///< its protocol may follow from the dataset
    /// A fixed threshold to evaluate at, beside the curves.
    std::optional<ThresholdSource> threshold_from;
    /// The accuracy gate, whose verdicts stand in the report; may be empty.
    std::function<std::vector<report::Verdict>(const Json& report, const std::vector<DetectionEvaluation>&)>
        judge{};
    std::vector<report::ReferenceCurve> references;  ///< published curves for the ROC plots
    /// Also evaluates each results' boxes in the dataset's convention.
    bool calibrate_boxes = false;
    bool measure_faces = false;  ///< decode the images for slices by sharpness and brightness
    /// Absent = common_point() of the detectors.
    std::optional<OperatingPointChoice> operating_point;
    int threads = 0;  ///< that decode; 0 = all cores
    Json manifest;    ///< shown in the report; may be null
};

struct EvaluationResult {
    std::vector<DetectionEvaluation> evaluations;  ///< parallel to the results
    LateReport report;                             ///< report.html
    std::vector<UnreadableImage> unmeasured;       ///< images whose faces could not be measured
    /// Images that are unreadable, lack a detector's result, or could not be measured.
    std::size_t images_lost = 0;
    bool interrupted = false;
};

/// Reads results and evaluates each against the dataset's ground truth, without a report: the request's
/// folder is not used. \param context receives what a report of it shows. \throws what read_results and
/// evaluate_detection throw.
EvaluationResult evaluate_detections(const Dataset& dataset, const EvaluationRequest& request,
                                     const JobHooks& hooks, ReportContext& context);

/// Reads results, evaluates each against the dataset's ground truth and writes the report, whose failure the
/// result keeps. \throws what read_results and evaluate_detection throw.
EvaluationResult evaluate_results(const Dataset& dataset, const EvaluationRequest& request,
                                  const JobHooks& hooks);

}  // namespace fovea
