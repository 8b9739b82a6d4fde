#include "lib/run/detection/evaluate_run.hpp"

#include <algorithm>
#include <set>

#include <spdlog/fmt/fmt.h>
#include <spdlog/fmt/ranges.h>

#include "lib/core/text.hpp"
#include "lib/json/json.hpp"
#include "lib/report/run_report.hpp"
#include "lib/run/detection/evaluate_landmark_results.hpp"

namespace fovea {
namespace {

class RunEvaluation {
  public:
    RunEvaluation(const Dataset& dataset, const RunEvaluationRequest& request, const JobHooks& hooks)
        : dataset_(dataset), request_(request), hooks_(hooks) {}

    RunEvaluationResult run() {
        evaluate_found();
        if (!outcome_.interrupted && request_.landmarker != nullptr) evaluate_points();
        if (outcome_.interrupted || (outcome_.detections.empty() && outcome_.landmarks.empty())) {
            return std::move(outcome_);
        }
        hooks_.begin_stage("writing the report");
        context_.related = request_.related;
        outcome_.report.write([&] {
            return write_run_report({request_.config.output, request_.files.inputs}, dataset_,
                                    outcome_.detections, outcome_.landmarks, context_);
        });
        return std::move(outcome_);
    }

  private:
    NamedResults named(const std::string& name, std::size_t task) const {
        return {name, "jsonl:" + request_.files.results[task].string()};
    }

    std::vector<NamedResults> results_of_detectors() const {
        std::vector<NamedResults> results;
        for (const DetectorConfig& detector : request_.config.detectors) {
            results.push_back(named(detector_name(detector), results.size()));
        }
        return results;
    }

    // Also fills the context that both kinds share; without detectors with nothing else.
    void evaluate_found() {
        EvaluationRequest request;
        request.results = results_of_detectors();
        request.evaluation = request_.config.evaluation;
        request.report = request_.config.report;
        request.decode = decode_options(request_.config.image);
        request.configuration = run_config_to_json(request_.config);
        request.manifest = request_.job->manifest;
        EvaluationResult found = evaluate_detections(dataset_, request, hooks_, context_);
        outcome_.detections = std::move(found.evaluations);
        outcome_.interrupted = found.interrupted;
    }

    void evaluate_points() {
        outcome_.why_no_landmarks = why_not();
        if (!outcome_.why_no_landmarks.empty()) return;
        LandmarkEvaluationRequest request;
        request.results = results_of_detectors();
        if (request_.config.landmarks.uses(BoxSource::truth))
            request.results.push_back(named(to_string(BoxSource::truth), request.results.size()));
        request.options.bootstrap_resamples = request_.config.evaluation.options.bootstrap_resamples;
        request.options.bootstrap_seed = request_.config.evaluation.options.bootstrap_seed;
        std::vector<SkippedImage> skipped;
        LandmarkEvaluationResult found = evaluate_landmark_files(dataset_, request, hooks_, skipped);
        outcome_.landmarks = std::move(found.evaluations);
        outcome_.interrupted = found.interrupted;
        if (outcome_.interrupted) return;
        add_skipped(std::move(skipped));
        context_.landmarks_origin = origin();
    }

    // Detectors' images without a result are known from their detections.
    void add_skipped(std::vector<SkippedImage> skipped) {
        std::set<std::string> known;
        for (const DetectionEvaluation& evaluation : outcome_.detections) known.insert(evaluation.name);
        for (SkippedImage& image : skipped) {
            if (!known.contains(image.detector)) context_.skipped.push_back(std::move(image));
        }
    }

    // Why the landmarks cannot be compared with the dataset's; empty if they can.
    std::string why_not() const {
        std::set<std::size_t> counts;
        for (const Sample& sample : dataset_.samples) {
            for (const Face& face : sample.faces) {
                if (!face.ignore && !face.landmarks.empty()) counts.insert(face.landmarks.size());
            }
        }
        const auto points = static_cast<std::size_t>(request_.landmarker->landmarker->model().points);
        if (counts.empty()) return "the dataset has no landmarks";
        if (counts.size() == 1 && counts.contains(points)) return {};
        return fmt::format("the model finds {}, but the dataset's faces have {}{}",
                           counted(points, "landmark"), fmt::join(counts, " or "),
                           counts.size() > 1 ? "; evaluate them apart, e.g. with --pattern" : "");
    }

    std::string origin() const {
        const Landmarker& landmarker = *request_.landmarker->landmarker;
        std::string text = "Landmarks by " + landmarker.name() + " (" + landmarker.description() + ")";
        std::string separator = " in the boxes of ";
        for (const BoxRule& rule : request_.job->boxes) {
            text += separator +
                    (rule.of == to_string(BoxSource::truth) ? "the annotation (truth)" : rule.of) +
                    (rule.convention.empty() ? ", as they are" : ", by the convention " + rule.convention);
            separator = "; of ";
        }
        return text + ".";
    }

    const Dataset& dataset_;
    const RunEvaluationRequest& request_;
    const JobHooks& hooks_;
    ReportContext context_;
    RunEvaluationResult outcome_;
};

}  // namespace

RunEvaluationResult evaluate_run(const Dataset& dataset, const RunEvaluationRequest& request,
                                 const JobHooks& hooks) {
    return RunEvaluation(dataset, request, hooks).run();
}

}  // namespace fovea
