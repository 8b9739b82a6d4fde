#include "lib/run/recognition/face_finder.hpp"

#include "kernels/face_crop/face_crop_body.hpp"
#include "lib/core/error.hpp"
#include "lib/files/sha256.hpp"
#include "lib/json/json.hpp"

namespace fovea {

LoadedFaceFinder::LoadedFaceFinder(const FaceFinderConfig& config, const DetectionDevice& device)
    : config_(config) {
    finder_.source = config.source;
    finder_.choice = config.choice;
    finder_.fallback_eyes = config.fallback_eyes;
    if (config.source != FaceSource::automatic && config.source != FaceSource::detector) return;
    RunConfig run;
    run.detectors.resize(1);
    run.detectors.front().model = config.detector;
    run.landmarks.model = config.landmarks;
    run.landmarks.convention = config.convention;
    const bool one = config.choice == FaceChoice::one;
    // Somebody has said that there is a face where one is named: an unsure detection will do.
    const bool takes_all = config.choice == FaceChoice::all;
    detectors_ = load_detectors(run, device, takes_all ? default_min_confidence : 0);
    landmarker_ = load_landmarker(run.landmarks, device);
    const Landmarker& landmarker = *landmarker_->landmarker;
    if (eye_landmarks(landmarker.model().points).count == 0) {
        throw UsageError("faces are turned by their eyes, which are not known among the " +
                         std::to_string(landmarker.model().points) + " landmarks of " +
                         landmarker_->model.string() + "; use a model of 68 or 5");
    }
    const LoadedDetector& detector = detectors_.front();
    finder_.detector = detector.detector.get();
    finder_.options = detector.config.options;
    if (one && detector.config.options.score == ScoreKind::confidence)
        finder_.sure_score = default_min_confidence;
    finder_.landmarks = landmarker_->stage(
        rule_for_detector(run.landmarks, landmarker, detector_name(detector.config), detector.model));
}

Json LoadedFaceFinder::to_json() const {
    Json json{{"faces", to_string(config_.source)}};
    if (config_.fallback_eyes) {
        const Eyes& eyes = *config_.fallback_eyes;
        json["fallback_eyes"] = {eyes.left.x, eyes.left.y, eyes.right.x, eyes.right.y};
    }
    if (detectors_.empty()) return json;
    const std::filesystem::path& model = detectors_.front().model;
    json["detector"] = {{"model", model.string()}, {"sha256", sha256_of_file(model)}};
    json["landmarks"] = {{"model", landmarker_->model.string()},
                         {"sha256", sha256_of_file(landmarker_->model)},
                         {"convention", config_.convention}};
    return json;
}

void LoadedFaceFinder::add_inputs(InputFiles& inputs) const {
    for (const LoadedDetector& detector : detectors_) inputs.add(detector.model);
    if (landmarker_) inputs.add(landmarker_->model);
}

}  // namespace fovea
