#include "lib/run/detection/evaluate_landmark_results.hpp"

#include "lib/json/json.hpp"
#include "lib/report/landmarks/landmark_report.hpp"
#include "lib/results/formats/landmark_results.hpp"

namespace fovea {

LandmarkEvaluationResult evaluate_landmark_files(const Dataset& dataset,
                                                 const LandmarkEvaluationRequest& request,
                                                 const JobHooks& hooks, std::vector<SkippedImage>& skipped) {
    LandmarkEvaluationResult outcome;
    const auto evaluate = [&](const DetectionResults& results, const std::string& name,
                              const ShareProgress& progress) {
        return evaluate_landmarks(dataset, results, request.options, name, progress);
    };
    const auto read = [](const NamedResults& named) { return read_landmark_results(named.specification); };
    outcome.interrupted =
        !request.evaluate_each(dataset, hooks, read, evaluate, outcome.evaluations, skipped);
    return outcome;
}

LandmarkEvaluationResult evaluate_landmark_results(const Dataset& dataset,
                                                   const LandmarkEvaluationRequest& request,
                                                   const JobHooks& hooks) {
    ReportContext context;
    LandmarkEvaluationResult outcome = evaluate_landmark_files(dataset, request, hooks, context.skipped);
    if (outcome.interrupted || !request.folder) return outcome;
    request.describe(context);
    if (request.judge)
        context.judge = [&](const Json& report) { return request.judge(report, outcome.evaluations); };
    request.write_report(dataset, hooks, outcome.report, [&] {
        return write_landmark_report(*request.folder, dataset, outcome.evaluations, context);
    });
    return outcome;
}

}  // namespace fovea
