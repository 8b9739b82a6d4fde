#include "lib/pipeline/benchmark.hpp"

#include <chrono>

#include <opencv2/imgproc.hpp>

#include "lib/core/error.hpp"
#include "lib/detect/opencv_reference.hpp"
#include "lib/image/decode.hpp"
#include "lib/pipeline/threads.hpp"

namespace fovea {
namespace {

GreyImage resized(const GreyImage& image, Size size) {
    GreyImage result{size.width, size.height,
                     std::vector<std::uint8_t>(static_cast<std::size_t>(size.width) *
                                               static_cast<std::size_t>(size.height))};
    const cv::Mat source(image.height, image.width, CV_8UC1, const_cast<std::uint8_t*>(image.pixels.data()));
    cv::Mat target(size.height, size.width, CV_8UC1, result.pixels.data());
    const bool shrinks = size.width <= image.width && size.height <= image.height;
    cv::resize(source, target, target.size(), 0, 0, shrinks ? cv::INTER_AREA : cv::INTER_LINEAR);
    return result;
}

GreyImage read_image(const DetectionBenchmarkRequest& request) {
    if (request.size && (request.size->width < 1 || request.size->height < 1)) {
        throw UsageError("the size to resize to must be at least 1x1");
    }
    constexpr std::int64_t most_pixels = 400'000'000;
    if (request.size && std::int64_t{request.size->width} * request.size->height > most_pixels) {
        throw UsageError("the size to resize to is above 400 megapixels");
    }
    try {
        GreyImage image = read_grey_image(request.image);
        return request.size ? resized(image, *request.size) : image;
    } catch (const ImageError& error) {
        throw Error("cannot read the image " + request.image.string() + ": " + error.what());
    }
}

template <class Work>
double time_ms(const Work& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

DetectionBenchmark run_detection_benchmark(const LoadedDetector& detector,
                                           const DetectionBenchmarkRequest& request, const RunHooks& hooks) {
    const GreyImage image = read_image(request);
    const ImageView<const std::uint8_t> view = image.view();
    const DetectorOptions& options = detector.config.options;
    std::optional<OpenCvReference> opencv;
    if (request.against_opencv) opencv.emplace(detector.model);

    ThreadLimit limit(request.threads);
    DetectionBenchmark benchmark;
    benchmark.size = {image.width, image.height};
    benchmark.threads = limit.threads();
    std::vector<Detection> found;
    const auto run_fovea = [&] { found = detector.detector->detect({&view, 1}, options).at(0); };
    const auto run_opencv = [&] { opencv->detect(view, options); };
    const auto cancelled = [&] { return hooks.cancel != nullptr && hooks.cancel->load(); };
    if (hooks.stage) hooks.stage("measuring");
    limit.run([&] {
        // The first runs allocate and bring tables into the caches.
        for (int i = 0; i < 2; ++i) {
            run_fovea();
            if (opencv) run_opencv();
        }
        for (int i = 0; i < request.repeat && !benchmark.interrupted; ++i) {
            // In turns, and each first as often as the other, so that a drifting clock rate meets both.
            if (opencv && i % 2 == 1) benchmark.opencv_ms.push_back(time_ms(run_opencv));
            benchmark.fovea_ms.push_back(time_ms(run_fovea));
            if (opencv && i % 2 == 0) benchmark.opencv_ms.push_back(time_ms(run_opencv));
            benchmark.interrupted = cancelled() && i + 1 < request.repeat;
        }
    });
    benchmark.boxes = found.size();
    if (opencv) {
        benchmark.same_boxes =
            compare_detections(found, opencv->grouped(view, options), ComparedValues::box_and_score).empty();
    }
    return benchmark;
}

}  // namespace fovea
