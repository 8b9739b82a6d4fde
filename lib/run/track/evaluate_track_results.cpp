#include "lib/run/track/evaluate_track_results.hpp"

#include <spdlog/spdlog.h>

#include "lib/core/job_hooks.hpp"
#include "lib/report/page/skipped.hpp"
#include "lib/report/tracks/track_report.hpp"

namespace fovea {

TrackEvaluationResult evaluate_track_results(const Dataset& dataset, const TrackEvaluationRequest& request,
                                             const JobHooks& hooks) {
    TrackEvaluationResult outcome;
    ReportContext context;
    hooks.begin_stage("evaluating");
    for (const NamedResults& named : request.results) {
        const DetectionResults results = named.read(dataset);
        outcome.evaluations.push_back(
            evaluate_tracks(dataset, results, request.options, named.name,
                            share_hook(hooks, outcome.evaluations.size(), request.results.size())));
        for (const std::string& warning : outcome.evaluations.back().warnings) {
            spdlog::warn("{}: {}", named.name, warning);
        }
        for (SkippedImage& image : images_without_results(dataset, results, named.name)) {
            context.skipped.push_back(std::move(image));
        }
        outcome.interrupted = hooks.is_cancelled();
        if (outcome.interrupted) return outcome;
    }
    if (!request.folder) return outcome;
    hooks.begin_stage("writing the report");
    context.origin = report_origin_now();
    context.title = request.report.title;
    context.thumbnails = request.report.thumbnails;
    context.judge = request.judge;
    context.latex = report::latex_intervals_of(request.report.latex);
    context.configuration = request.configuration;
    context.decode = request.decode;
    add_inputs(dataset, request.results, request.folder->inputs());
    outcome.report = write_track_report(*request.folder, dataset, outcome.evaluations, context);
    return outcome;
}

}  // namespace fovea
