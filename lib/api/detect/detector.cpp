#include "lib/detect/detector.hpp"

#include <utility>

#include <fovea/detect.hpp>

#include "kernels/core/view.hpp"
#include "lib/api/common/convert.hpp"
#include "lib/api/common/guarded.hpp"
#include "lib/api/detect/loaded.hpp"
#include "lib/config/device_choice.hpp"
#include "lib/core/threads.hpp"
#include "lib/device/detection_device.hpp"
#include "lib/job/detection_job.hpp"
#include "lib/landmark/add_landmarks.hpp"

namespace fovea::api {

RunConfig config_of(const DetectorOptions& options) {
    RunConfig config;
    config.device = options.device;
    config.threads = options.threads;
    DetectorConfig& detector = config.detectors.emplace_back();
    detector.model = options.model;
    detector.options.scale_factor = options.scale_factor;
    detector.options.min_neighbors = options.min_neighbors;
    detector.options.min_size = {options.min_size.width, options.min_size.height};
    detector.options.max_size = {options.max_size.width, options.max_size.height};
    detector.options.border = options.border;
    detector.options.min_score = options.min_score;
    config.landmarks.model = options.landmarks;
    validate_run_config(config);
    return config;
}

Detector::Loaded::Loaded(const RunConfig& given) : config(given), arena(resolve_threads(given.threads)) {
    const DetectionDevice device = open_detection_device(config.device);
    detectors = load_detectors(config, device, default_min_confidence);
    if (!config.landmarks.wanted()) return;
    landmarker = load_landmarker(config.landmarks, device);
    const BoxRule rule = rule_for_detector(config.landmarks, *landmarker->landmarker,
                                           detector_name(detector().config), detector().model);
    stage = landmarker->stage(rule);
}

Detector::Detector(const DetectorOptions& options)
    : loaded_(guarded([&] { return std::make_unique<const Loaded>(config_of(options)); })) {}

Detector::~Detector() = default;
Detector::Detector(Detector&&) noexcept = default;
Detector& Detector::operator=(Detector&&) noexcept = default;

std::vector<Detection> Detector::detect(const ImageView& image) const {
    return std::move(detect(std::span(&image, 1)).front());
}

std::vector<std::vector<Detection>> Detector::detect(std::span<const ImageView> images) const {
    std::vector<GreyPixels> pixels;
    pixels.reserve(images.size());
    for (const ImageView& image : images) pixels.push_back(grey_of(image));
    std::vector<fovea::ImageView<const std::uint8_t>> views;
    for (const GreyPixels& image : pixels) views.push_back(image.view);
    std::vector<std::vector<fovea::Detection>> found;
    guarded([&] {
        loaded_->run([&] {
            if (views.empty()) return;
            found = loaded_->detector().detector->detect(views, loaded_->detector().config.options,
                                                         loaded_->landmarks());
        });
    });
    std::vector<std::vector<Detection>> outer;
    outer.reserve(found.size());
    for (const std::vector<fovea::Detection>& detections : found) outer.push_back(to_outer(detections));
    return outer;
}

std::filesystem::path Detector::model_file() const {
    return loaded_->detector().model;
}

std::string Detector::device() const {
    return loaded_->detector().detector->device_name();
}

std::string Detector::description() const {
    return loaded_->detector().detector->description();
}

}  // namespace fovea::api
