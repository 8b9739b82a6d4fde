#include "lib/detect/yunet_detector.hpp"

#include <cstdint>
#include <stdexcept>
#include <utility>

#include <opencv2/core/version.hpp>
#include <tbb/parallel_for.h>

#include "lib/core/opencv_scopes.hpp"
#include "lib/detect/detections.hpp"
#include "lib/landmark/add_landmarks.hpp"

namespace fovea {
namespace {

std::int64_t pixels_of(const ImageBatch::View& image) {
    return std::int64_t{image.width} * image.height;
}

}  // namespace

YunetDetector::YunetDetector(std::filesystem::path model) : model_(std::move(model)) {
    SerialOpenCv::prepare();
    give_back(take());
}

DetectorTraits YunetDetector::traits_of_kind() {
    return network_traits("YuNet detectors", min_score);
}

std::string YunetDetector::description() const {
    return "YuNet, run by FaceDetectorYN of OpenCV " CV_VERSION " on grey pixels";
}

EngineCounters YunetDetector::counters() const {
    EngineCounters counters;
    counters.images = images_;
    return counters;
}

std::vector<std::vector<Detection>> YunetDetector::detect_resolved(const ImageBatch& images,
                                                                   const DetectorOptions& options,
                                                                   const LandmarkStage* landmarks) const {
    if (images.is_on_gpu()) throw std::logic_error("YuNet runs on the CPU, and the images are on a GPU");
    std::vector<std::vector<Detection>> results(images.size());
    for (std::size_t begin = 0; begin < images.size();) {
        // One image alone may have more: the network reduces it.
        std::size_t end = begin + 1;
        std::int64_t pixels = pixels_of(images.views[begin]);
        while (end < images.size() && pixels + pixels_of(images.views[end]) <= YunetNetwork::max_pixels) {
            pixels += pixels_of(images.views[end++]);
        }
        tbb::parallel_for(begin, end,
                          [&](std::size_t i) { results[i] = detect_one(images.views[i], options); });
        begin = end;
    }
    images_ += images.size();
    if (landmarks != nullptr) add_landmarks(*landmarks, images, results);
    return results;
}

std::vector<Detection> YunetDetector::detect_one(const ImageBatch::View& image,
                                                 const DetectorOptions& options) const {
    const SerialOpenCv serial;
    std::unique_ptr<YunetNetwork> network = take();
    const std::vector<Detection> found = network->detect(image, *options.min_score);
    give_back(std::move(network));
    return wanted_inside(found, {image.width, image.height}, options);
}

std::unique_ptr<YunetNetwork> YunetDetector::take() const {
    return networks_.take([this] { return std::make_unique<YunetNetwork>(model_); });
}

// A network keeps the memory of its largest image: those that wait keep no more than one image may take.
void YunetDetector::give_back(std::unique_ptr<YunetNetwork> network) const {
    networks_.give_back(std::move(network), [](const auto& idle) {
        std::int64_t pixels = 0;
        for (const auto& waiting : idle) pixels += waiting->largest_pixels();
        return pixels <= YunetNetwork::max_pixels;
    });
}

}  // namespace fovea
