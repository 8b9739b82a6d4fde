#include "lib/evaluate/tracks/tracks.hpp"

#include <algorithm>

#include <tbb/parallel_for.h>

#include "lib/core/text.hpp"
#include "lib/evaluate/detection/image_pairing.hpp"
#include "lib/evaluate/statistics/time_blocks.hpp"
#include "lib/evaluate/tracks/track_statistics.hpp"

namespace fovea {
namespace {

constexpr TrackMode other_mode(TrackMode mode) {
    return mode == TrackMode::strict ? TrackMode::corrected : TrackMode::strict;
}

TrackNumbers numbers_of(const PreparedVideo& video, const TrackEvaluationOptions& options, TrackMode mode) {
    TrackNumbers numbers;
    numbers.hota = evaluate_hota(video, mode).numbers;
    numbers.clear = evaluate_clear(video, options.iou_threshold, mode).numbers;
    numbers.identity = evaluate_identity(video, options.iou_threshold, mode);
    numbers.counts = count_tracks(video);
    return numbers;
}

VideoEvaluation evaluate_video(const TrackVideo& video, const TrackVideo& in_other_mode,
                               const TrackEvaluationOptions& options) {
    VideoEvaluation evaluation;
    evaluation.name = video.name;
    evaluation.frames = video.numbers;
    evaluation.prepared = prepare_video(video);
    const PreparedVideo& prepared = evaluation.prepared;
    HotaResult hota = evaluate_hota(prepared, options.mode);
    ClearResult clear = evaluate_clear(prepared, options.iou_threshold, options.mode);
    evaluation.numbers.hota = hota.numbers;
    evaluation.numbers.clear = clear.numbers;
    evaluation.numbers.identity = evaluate_identity(prepared, options.iou_threshold, options.mode);
    evaluation.numbers.counts = count_tracks(prepared);
    evaluation.hota_matches = std::move(hota.matches);
    evaluation.clear_matches = std::move(clear.matches);
    evaluation.motmetrics = evaluate_motmetrics(prepared, options.iou_threshold);
    evaluation.other = numbers_of(prepare_video(in_other_mode), options, other_mode(options.mode));
    return evaluation;
}

void combine_videos(TrackEvaluation& evaluation) {
    std::vector<TrackNumbers> numbers, others;
    std::vector<MotmetricsNumbers> motmetrics;
    for (const VideoEvaluation& video : evaluation.videos) {
        numbers.push_back(video.numbers);
        others.push_back(video.other);
        motmetrics.push_back(video.motmetrics);
    }
    // TrackEval combines a single sequence with itself, too.
    evaluation.numbers = combine(numbers);
    evaluation.other = combine(others);
    evaluation.motmetrics = combine(motmetrics);
}

void estimate(TrackEvaluation& evaluation, const ShareProgress& progress) {
    const TrackEvaluationOptions& options = evaluation.options;
    const bool is_one = evaluation.videos.size() == 1;
    evaluation.estimates = track_estimates(evaluation.numbers);
    const std::size_t frames = is_one ? evaluation.videos.front().prepared.frames : 0;
    if (is_one && time_blocks(frames) == 0) return;
    evaluation.statistics = is_one ? statistics_of_blocks(evaluation.videos.front(), options)
                                   : statistics_of_videos(evaluation.videos);
    evaluation.units =
        is_one ? "blocks of " + std::to_string(frames / time_blocks(frames)) + " frames" : "videos";
    const Numbers resampled = bootstrap_estimates(*evaluation.statistics, options.bootstrap_resamples,
                                                  options.bootstrap_seed, progress);
    for (std::size_t i = 0; i < resampled.size(); ++i) evaluation.estimates[i].ci95 = resampled[i].ci95;
}

void warn(TrackEvaluation& evaluation) {
    add_counted(evaluation.warnings, static_cast<std::size_t>(evaluation.images_unreadable),
                "annotated frame", " could not be read; its faces count as missed.",
                " could not be read; their faces count as missed.");
    if (evaluation.numbers.counts.truth_boxes == 0)
        evaluation.warnings.emplace_back("No frame has a face that counts, so nothing can be found.");
    if (evaluation.numbers.counts.result_boxes == 0)
        evaluation.warnings.emplace_back("The results hold no box in the frames of the dataset.");
}

}  // namespace

TrackEvaluation evaluate_tracks(const Dataset& dataset, const DetectionResults& results,
                                const TrackEvaluationOptions& options, const std::string& name,
                                const ShareProgress& progress) {
    const ImagePairing pairing = pair_images(dataset, results);
    TrackEvaluation evaluation;
    evaluation.name = name;
    evaluation.options = options;
    evaluation.warnings = results.warnings;
    evaluation.warnings.insert(evaluation.warnings.end(), pairing.warnings.begin(), pairing.warnings.end());
    evaluation.images = static_cast<int>(pairing.samples.size());
    evaluation.images_extra = pairing.extra;
    std::vector<const ImageResult*> of_samples(dataset.samples.size(), nullptr);
    for (std::size_t i = 0; i < pairing.samples.size(); ++i) {
        const ImageResult* const result = pairing.results[i];
        of_samples[pairing.samples[i]] = result;
        evaluation.images_missing += result == nullptr ? 1 : 0;
        evaluation.images_unreadable += result != nullptr && !result->ok() ? 1 : 0;
    }
    const std::vector<TrackVideo> videos = track_videos(dataset, of_samples, options.mode);
    const std::vector<TrackVideo> others = track_videos(dataset, of_samples, other_mode(options.mode));
    evaluation.videos.resize(videos.size());
    tbb::parallel_for(std::size_t{0}, videos.size(), [&](std::size_t i) {
        evaluation.videos[i] = evaluate_video(videos[i], others[i], options);
    });
    combine_videos(evaluation);
    estimate(evaluation, progress);
    warn(evaluation);
    return evaluation;
}

std::string track_mode_name(TrackMode mode) {
    return mode == TrackMode::strict ? "strict" : "corrected";
}

}  // namespace fovea
