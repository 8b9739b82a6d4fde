#include "lib/run/track/evaluate_track_results.hpp"

#include "lib/report/tracks/track_report.hpp"

namespace fovea {

TrackEvaluationResult evaluate_track_results(const Dataset& dataset, const TrackEvaluationRequest& request,
                                             const JobHooks& hooks) {
    TrackEvaluationResult outcome;
    ReportContext context;
    const auto evaluate = [&](const DetectionResults& results, const std::string& name,
                              const ShareProgress& progress) {
        return evaluate_tracks(dataset, results, request.options, name, progress);
    };
    const auto read = [&](const NamedResults& named) { return named.read(dataset); };
    outcome.interrupted =
        !request.evaluate_each(dataset, hooks, read, evaluate, outcome.evaluations, context.skipped);
    if (outcome.interrupted || !request.folder) return outcome;
    request.describe(context);
    context.judge = request.judge;
    request.write_report(dataset, hooks, outcome.report, [&] {
        return write_track_report(*request.folder, dataset, outcome.evaluations, context);
    });
    return outcome;
}

}  // namespace fovea
