#include "lib/job/landmark_stage.hpp"

#include <cmath>

#include <spdlog/spdlog.h>

#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/evaluate/landmarks/landmark_points.hpp"
#include "lib/files/model_file.hpp"
#include "lib/landmark/box_convention.hpp"
#include "lib/landmark/landmark_file.hpp"

namespace fovea {
namespace {

constexpr int convention_points = 68;
constexpr const char* landmarks_convention = "landmarks";

BoxRule rule_of(const BoxConvention& convention, const Landmarker& landmarker, const std::string& of) {
    return {of, convention.name, model_edges(convention, landmarker.model())};
}

// The rule that a configuration names; nothing with "auto".
std::optional<BoxRule> named_rule(const LandmarkConfig& config, const Landmarker& landmarker,
                                  const std::string& of) {
    if (config.convention == auto_convention) return std::nullopt;
    if (config.convention == no_convention) return BoxRule{of, "", {}};
    const std::optional<BoxConvention> convention = find_convention(config.convention);
    if (!convention) {
        throw UsageError(
            "there is no box convention '" + config.convention +
            "' in landmarks/boxes.json of the folders of models; use auto or none, or fit one with "
            "'fovea train boxes'");
    }
    if (landmarker.model().points != convention_points) {
        throw UsageError("box conventions are for models of 68 points, but " + landmarker.name() + " has " +
                         std::to_string(landmarker.model().points) + "; use the convention none");
    }
    return rule_of(*convention, landmarker, of);
}

bool within_a_pixel(const Box& a, const Box& b) {
    constexpr double most = 1.0;
    return std::abs(a.x - b.x) <= most && std::abs(a.y - b.y) <= most && std::abs(a.w - b.w) <= most &&
           std::abs(a.h - b.h) <= most;
}

}  // namespace

LoadedLandmarker load_landmarker(const LandmarkConfig& config, const DetectionDevice& device) {
    LoadedLandmarker loaded;
    loaded.model = find_landmark_model(config.model);
    loaded.landmarker =
        std::make_unique<Landmarker>(read_landmark_model(loaded.model), device, model_name(loaded.model));
    const LandmarkModel& model = loaded.landmarker->model();
    const Box shape = tight_box_of_initial_shape(model);
    if (model.points == convention_points && !(shape.w > 0 && shape.h > 0)) {
        throw Error("the initial shape of the landmark model " + loaded.model.string() +
                    " has no extent; use another model");
    }
    if (model.points != convention_points && config.convention == auto_convention) {
        spdlog::warn("{} has {}, and box conventions are of 68: it gets every box as it is",
                     loaded.landmarker->name(), counted(static_cast<std::size_t>(model.points), "point"));
    }
    spdlog::debug("{}: {}", loaded.landmarker->name(), loaded.landmarker->description());
    return loaded;
}

BoxRule rule_for_detector(const LandmarkConfig& config, const Landmarker& landmarker,
                          const std::string& detector, const std::filesystem::path& model) {
    if (const auto rule = named_rule(config, landmarker, detector)) return *rule;
    if (landmarker.model().points != convention_points) return {detector, "", {}};
    const std::string name = model_name(model);
    if (const auto convention = find_convention(name)) return rule_of(*convention, landmarker, detector);
    spdlog::warn(
        "it is not known where the faces lie in the boxes of {}, so {} gets them as they are, which costs "
        "accuracy; fit a convention with 'fovea train boxes', or name one with --box-convention",
        name, landmarker.name());
    return {detector, "", {}};
}

BoxRule rule_for_truth(const LandmarkConfig& config, const Landmarker& landmarker, const Dataset& dataset) {
    const std::string of = to_string(BoxSource::truth);
    if (const auto rule = named_rule(config, landmarker, of)) return *rule;
    if (landmarker.model().points != convention_points || !has_landmark_boxes(dataset)) return {of, "", {}};
    if (const auto convention = find_convention(landmarks_convention)) {
        return rule_of(*convention, landmarker, of);
    }
    spdlog::warn(
        "the annotated boxes are those of landmarks, for which there is no convention, so {} gets them as "
        "they are, which costs accuracy; fit the convention '{}' with 'fovea train boxes'",
        landmarker.name(), landmarks_convention);
    return {of, "", {}};
}

bool has_landmark_boxes(const Dataset& dataset) {
    std::size_t tight = 0, others = 0;
    for (const Sample& sample : dataset.samples) {
        for (const Face& face : sample.faces) {
            if (face.ignore) continue;
            const bool is_tight = face.landmarks.size() == convention_points &&
                                  within_a_pixel(face.box, tight_box(face.landmarks));
            (is_tight ? tight : others) += 1;
        }
    }
    if (tight > 0 && others > 0) {
        spdlog::warn(
            "the annotated boxes are of two kinds: {} of {} landmarks each, {} of something else; all are "
            "taken for {}, and landmarks in the others will be off",
            tight, convention_points, others, tight > others ? "the former" : "the latter");
    }
    return tight > others;
}

}  // namespace fovea
