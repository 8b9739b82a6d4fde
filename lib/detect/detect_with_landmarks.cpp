#include <stdexcept>

#include "lib/detect/detector.hpp"
#include "lib/landmark/add_landmarks.hpp"

namespace fovea {

std::vector<std::vector<Detection>> Detector::detect_with_landmarks(
    std::span<const ImageView<const std::uint8_t>> images, const DetectorOptions& options,
    const LandmarkStage& landmarks) const {
    std::vector<std::vector<Detection>> detections = detect(images, options);
    add_landmarks(landmarks, images, detections);
    return detections;
}

std::vector<std::vector<Detection>> Detector::detect_resident(std::span<const ImageView<const std::uint8_t>>,
                                                              const DetectorOptions&,
                                                              const LandmarkStage*) const {
    throw std::logic_error("the detector on " + device_name() +
                           " does not detect in images that lie in a GPU's memory");
}

}  // namespace fovea
