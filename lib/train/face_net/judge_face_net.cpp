#include "lib/train/face_net/judge_face_net.hpp"

#include <utility>

#include "lib/core/threads.hpp"
#include "lib/dataset/formats/read_dataset.hpp"
#include "lib/detect/face_net_detector.hpp"
#include "lib/evaluate/detection/judged_detections.hpp"
#include "lib/evaluate/evaluate_detection.hpp"
#include "lib/evaluate/statistics/logistic_curve.hpp"
#include "lib/image/prefetch.hpp"
#include "lib/json/json.hpp"
#include "lib/results/results.hpp"

namespace fovea {
namespace {

/// Detections of a score before it is fitted, and what is known of the images.
struct Found {
    Dataset dataset;
    DetectionResults results;
    std::vector<UnreadableImage> unreadable;
};

constexpr std::size_t batch_images = 16;
/// Expected IoU, the score before it is fitted. Fewer than one in ten thousand of the weaker ones are right.
constexpr double min_judged_score = 0.05;

void detect_all(const FaceNetDetector& detector, int threads, Found& found,
                const std::function<void()>& image_done) {
    std::vector<ImageLocation> places;
    for (const Sample& sample : found.dataset.samples) places.push_back(sample.place());
    ImagePrefetcher prefetcher(std::move(places), {resolve_threads(threads), std::size_t{256} << 20, {}});
    std::vector<LoadedImage> batch;
    const auto detect = [&] {
        std::vector<ImageView<const std::uint8_t>> views;
        for (const LoadedImage& image : batch) views.push_back(image.image.view());
        DetectorOptions options;
        options.min_score = min_judged_score;
        std::vector<std::vector<Detection>> faces = detector.detect(views, options);
        for (std::size_t i = 0; i < batch.size(); ++i) {
            const GreyImage& image = batch[i].image;
            const Sample& sample = found.dataset.samples[batch[i].index];
            found.results.images.push_back(
                {sample.image, image.width, image.height, "ok", std::move(faces[i])});
        }
        batch.clear();
    };
    while (std::optional<LoadedImage> loaded = prefetcher.next()) {
        image_done();
        if (!loaded->unreadable.empty()) {
            const std::string& name = found.dataset.samples[loaded->index].image;
            found.unreadable.push_back({name, loaded->unreadable});
            found.results.images.push_back({name, 0, 0, "unreadable: " + loaded->unreadable, {}});
            continue;
        }
        batch.push_back(std::move(*loaded));
        if (batch.size() == batch_images) detect();
    }
    if (!batch.empty()) detect();
}

/// The file that lists the dataset, or its folder.
std::string short_name(const Dataset& dataset) {
    return dataset.sources.empty() ? (dataset.root / "").parent_path().filename().string()
                                   : dataset.sources[0].stem().string();
}

DetectionEvaluation evaluated(const Dataset& dataset, const DetectionResults& results, int resamples) {
    DetectionEvaluationOptions options;
    options.bootstrap_resamples = resamples;
    return evaluate_detection(dataset, results, options, short_name(dataset));
}

/// Right and wrong detections by the logit of the scores as they are.
void add_counts(const Found& found, const FaceNetScore& score, std::vector<ScoreCount>& counts) {
    for (const auto& image : judged_detections(found.dataset, evaluated(found.dataset, found.results, 0))) {
        for (const CurveDetection& detection : image) {
            if (detection.outcome == DetectionMatch::ignored) continue;
            counts.push_back({score.logit_of(detection.score), 1,
                              detection.outcome == DetectionMatch::true_positive ? 1.0 : 0.0});
        }
    }
}

}  // namespace

std::vector<FaceNetJudgement> judge_face_net(FaceNetModel& model, const std::vector<std::string>& datasets,
                                             int threads, const CountProgress& progress) {
    std::vector<Found> founds;
    std::size_t images = 0, done = 0;
    for (const std::string& dataset : datasets) {
        founds.push_back({read_dataset(dataset), {}, {}});
        images += founds.back().dataset.samples.size();
    }
    const FaceNetDetector detector(model);
    std::vector<ScoreCount> counts;
    for (Found& found : founds) {
        detect_all(detector, threads, found, [&] {
            if (progress) progress(++done, images);
        });
        add_counts(found, model.score, counts);
    }
    const FaceNetScore before = model.score;
    if (!counts.empty()) {
        const LogisticCurve curve = fit_logistic_curve(counts);
        model.score = {curve.slope, curve.offset};
    }
    std::vector<FaceNetJudgement> judgements;
    judgements.reserve(founds.size());  // an evaluation refers to its dataset
    for (Found& found : founds) {
        for (ImageResult& image : found.results.images) {
            for (Detection& detection : image.detections)
                detection.score = model.score.of(before.logit_of(detection.score));
        }
        FaceNetJudgement& judgement = judgements.emplace_back();
        judgement.dataset = std::move(found.dataset);
        judgement.unreadable = std::move(found.unreadable);
        judgement.evaluation =
            evaluated(judgement.dataset, found.results, DetectionEvaluationOptions{}.bootstrap_resamples);
        DetectionAnalysisOptions options;
        options.operating_point =
            OperatingPointChoice{.kind = OperatingPointChoice::Kind::score, .score = kept_score};
        options.error_threshold = kept_score;
        judgement.analysis = analyse_detection(judgement.dataset, judgement.evaluation, options);
    }
    return judgements;
}

Json face_net_judgement_to_json(const FaceNetJudgement& judgement) {
    const DetectionEvaluation& evaluation = judgement.evaluation;
    const ConfusionCounts& counts = judgement.analysis.operating_point.detections;
    return {{"dataset", evaluation.name},
            {"images", evaluation.images},
            {"faces", evaluation.faces},
            {"average_precision", evaluation.value("average_precision")},
            {"score", kept_score},
            {"detection_rate", counts.recall().value_or(0)},
            {"precision", counts.precision().value_or(0)}};
}

}  // namespace fovea
