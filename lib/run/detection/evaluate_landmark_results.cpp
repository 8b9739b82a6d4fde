#include "lib/run/detection/evaluate_landmark_results.hpp"

#include <spdlog/spdlog.h>

#include "lib/core/job_hooks.hpp"
#include "lib/json/json.hpp"
#include "lib/report/landmarks/landmark_report.hpp"
#include "lib/report/page/skipped.hpp"
#include "lib/results/formats/landmark_results.hpp"

namespace fovea {

LandmarkEvaluationResult evaluate_landmark_files(const Dataset& dataset,
                                                 const LandmarkEvaluationRequest& request,
                                                 const JobHooks& hooks, std::vector<SkippedImage>& skipped) {
    LandmarkEvaluationResult outcome;
    hooks.begin_stage("evaluating");
    for (const NamedResults& named : request.results) {
        const DetectionResults results = read_landmark_results(named.specification);
        outcome.evaluations.push_back(
            evaluate_landmarks(dataset, results, request.options, named.name,
                               share_hook(hooks, outcome.evaluations.size(), request.results.size())));
        for (const std::string& warning : outcome.evaluations.back().warnings) {
            spdlog::warn("{}: {}", named.name, warning);
        }
        for (SkippedImage& image : images_without_results(dataset, results, named.name)) {
            skipped.push_back(std::move(image));
        }
        outcome.interrupted = hooks.is_cancelled();
        if (outcome.interrupted) break;
    }
    return outcome;
}

LandmarkEvaluationResult evaluate_landmark_results(const Dataset& dataset,
                                                   const LandmarkEvaluationRequest& request,
                                                   const JobHooks& hooks) {
    ReportContext context;
    LandmarkEvaluationResult outcome = evaluate_landmark_files(dataset, request, hooks, context.skipped);
    if (outcome.interrupted || !request.folder) return outcome;
    hooks.begin_stage("writing the report");
    context.origin = report_origin_now();
    context.title = request.report.title;
    context.thumbnails = request.report.thumbnails;
    if (request.judge)
        context.judge = [&](const Json& report) { return request.judge(report, outcome.evaluations); };
    context.latex = report::latex_intervals_of(request.report.latex);
    context.configuration = request.configuration;
    context.decode = request.decode;
    add_inputs(dataset, request.results, request.folder->inputs());
    outcome.report.write(
        [&] { return write_landmark_report(*request.folder, dataset, outcome.evaluations, context); });
    return outcome;
}

}  // namespace fovea
