#include "lib/detect/opencv_reference.hpp"

#include <algorithm>
#include <iterator>
#include <tuple>

#include <opencv2/core/persistence.hpp>

#include "lib/core/error.hpp"
#include "lib/detect/detections.hpp"
#include "lib/files/model_file.hpp"

namespace fovea {
namespace {

// OpenCV takes no pointer to constant pixels; it does not write to them.
cv::Mat mat_of(ImageView<const std::uint8_t> image) {
    return {image.height, image.width, CV_8UC1, const_cast<std::uint8_t*>(image.data),
            static_cast<std::size_t>(image.stride)};
}

cv::Size size_of(Size size) {
    return {size.width, size.height};
}

Detection detection_of(const cv::Rect& box) {
    Detection detection;
    detection.box = {static_cast<double>(box.x), static_cast<double>(box.y), static_cast<double>(box.width),
                     static_cast<double>(box.height)};
    return detection;
}

auto box_key(const Detection& d) {
    return std::make_tuple(d.box.y, d.box.x, d.box.w, d.box.h);
}

// -1e300 keeps a detection without a stage sum apart from any with one.
double stage_sum_of(const Detection& d) {
    return d.details->stage_sum.value_or(-1e300);
}

}  // namespace

OpenCvReference::OpenCvReference(const std::filesystem::path& model) : model_(model) {
    bool loaded = false;
    const PlainModelFile file(model, "cascade");
    try {
        loaded = classifier_.load(file.path().string());
    } catch (const cv::Exception& error) {
        throw Error("OpenCV cannot load the cascade " + model.string() + ": " + error.err);
    }
    if (!loaded) throw Error("OpenCV cannot load " + model.string() + "; give a Haar or LBP cascade in XML");
    const cv::FileStorage storage(file.path().string(), cv::FileStorage::READ);
    has_one_stage_ = storage.getFirstTopLevelNode()["stages"].size() == 1;
}

void OpenCvReference::keep_passed(std::vector<Detection>& windows, ImageView<const std::uint8_t> image,
                                  const DetectorOptions& options) {
    std::vector<cv::Rect> boxes;
    classifier_.detectMultiScale(mat_of(image), boxes, *options.scale_factor, 0, 0, size_of(options.min_size),
                                 size_of(options.max_size));
    std::vector<Detection> passed;
    for (const cv::Rect& box : boxes) {
        // Windows of two scales may have the same box: that with the larger sum is the one that passed.
        auto best = windows.end();
        for (auto window = windows.begin(); window != windows.end(); ++window) {
            const bool same = window->box == detection_of(box).box;
            if (same && (best == windows.end() || *window->details->stage_sum > *best->details->stage_sum))
                best = window;
        }
        if (best == windows.end()) {
            throw Error("OpenCV lists a window of " + model_.string() + " in one of two calls only");
        }
        passed.push_back(*best);
        windows.erase(best);
    }
    windows = std::move(passed);
}

std::vector<Detection> OpenCvReference::raw_windows(ImageView<const std::uint8_t> image,
                                                    const DetectorOptions& given) {
    const DetectorOptions options = resolve_options(given, {});
    std::vector<cv::Rect> boxes;
    std::vector<int> levels;
    std::vector<double> weights;
    if (!image.empty()) {
        classifier_.detectMultiScale(mat_of(image), boxes, levels, weights, *options.scale_factor, 0, 0,
                                     size_of(options.min_size), size_of(options.max_size), true);
    }
    std::vector<Detection> windows;
    for (std::size_t i = 0; i < boxes.size(); ++i) {
        windows.push_back(detection_of(boxes[i]));
        windows.back().details.edit().stage_sum = weights.at(i);
        windows.back().score = weights.at(i);
    }
    if (has_one_stage_ && !windows.empty()) keep_passed(windows, image, options);
    return sorted_for_comparison(std::move(windows));
}

std::vector<Detection> OpenCvReference::grouped(ImageView<const std::uint8_t> image,
                                                const DetectorOptions& given) {
    const DetectorOptions options = resolve_options(given, {});
    std::vector<cv::Rect> boxes;
    std::vector<int> counts;
    std::vector<double> weights;
    const bool by_stage_sum = options.score == ScoreKind::stage_sum;
    if (by_stage_sum && has_one_stage_) {
        throw UsageError("OpenCV's stage sums cannot be relied on for " + model_.string() +
                         ", which has one stage only; compare the neighbor counts");
    }
    if (!image.empty() && by_stage_sum) {
        classifier_.detectMultiScale(mat_of(image), boxes, counts, weights, *options.scale_factor,
                                     *options.min_neighbors, 0, size_of(options.min_size),
                                     size_of(options.max_size), true);
    } else if (!image.empty()) {
        classifier_.detectMultiScale(mat_of(image), boxes, counts, *options.scale_factor,
                                     *options.min_neighbors, 0, size_of(options.min_size),
                                     size_of(options.max_size));
    }
    std::vector<Detection> detections;
    for (std::size_t i = 0; i < boxes.size(); ++i) {
        detections.push_back(detection_of(boxes[i]));
        Detection& detection = detections.back();
        if (by_stage_sum) {
            detection.details.edit().stage_sum = weights.at(i);
            detection.score = weights.at(i);
        } else {
            detection.details.edit().neighbors = counts.at(i);
            detection.score = counts.at(i);
        }
    }
    if (options.min_score) drop_below(*options.min_score, detections);
    return sorted_for_comparison(std::move(detections));
}

std::size_t OpenCvReference::detect(ImageView<const std::uint8_t> image, const DetectorOptions& given) {
    const DetectorOptions options = resolve_options(given, {});
    std::vector<cv::Rect> boxes;
    classifier_.detectMultiScale(mat_of(image), boxes, *options.scale_factor, *options.min_neighbors, 0,
                                 size_of(options.min_size), size_of(options.max_size));
    return boxes.size();
}

std::vector<Detection> sorted_for_comparison(std::vector<Detection> detections) {
    std::sort(detections.begin(), detections.end(), [](const Detection& a, const Detection& b) {
        return std::make_tuple(box_key(a), a.score, stage_sum_of(a)) <
               std::make_tuple(box_key(b), b.score, stage_sum_of(b));
    });
    return detections;
}

DetectionDifference compare_detections(std::vector<Detection> first, std::vector<Detection> second,
                                       ComparedValues what) {
    const auto key = [what](const Detection& d) {
        const bool by_sum = what == ComparedValues::box_and_stage_sum;
        const bool by_neighbors = what == ComparedValues::box_score_and_neighbors;
        return std::make_tuple(box_key(d), by_sum ? stage_sum_of(d) : d.score,
                               by_neighbors ? d.details->neighbors.value_or(-1) : 0);
    };
    const auto less = [key](const Detection& a, const Detection& b) { return key(a) < key(b); };
    std::sort(first.begin(), first.end(), less);
    std::sort(second.begin(), second.end(), less);
    DetectionDifference difference;
    std::set_difference(first.begin(), first.end(), second.begin(), second.end(),
                        std::back_inserter(difference.only_first), less);
    std::set_difference(second.begin(), second.end(), first.begin(), first.end(),
                        std::back_inserter(difference.only_second), less);
    return difference;
}

}  // namespace fovea
