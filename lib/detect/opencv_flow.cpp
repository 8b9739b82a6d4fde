#include "lib/detect/opencv_flow.hpp"

#include <string>

#include <opencv2/imgproc.hpp>
#include <opencv2/video/tracking.hpp>

#include "lib/core/error.hpp"

namespace fovea {
namespace {

// OpenCV takes no pointer to constant pixels; it does not write to them.
cv::Mat grey_mat(const ImageView<const std::uint8_t>& image) {
    return {image.height, image.width, CV_8UC1, const_cast<std::uint8_t*>(image.data),
            static_cast<std::size_t>(image.stride)};
}

std::vector<cv::Point2f> points_of(std::span<const FlowPoint> points) {
    std::vector<cv::Point2f> made;
    made.reserve(points.size());
    for (const FlowPoint& point : points) made.emplace_back(point.x, point.y);
    return made;
}

std::vector<FlowPoint> points_of(const std::vector<cv::Point2f>& points) {
    std::vector<FlowPoint> made;
    made.reserve(points.size());
    for (const cv::Point2f& point : points) made.push_back({point.x, point.y});
    return made;
}

cv::TermCriteria criteria_of(const FlowOptions& options) {
    return {(options.max_iterations ? cv::TermCriteria::COUNT : 0) |
                (options.epsilon ? cv::TermCriteria::EPS : 0),
            options.max_iterations.value_or(0), options.epsilon.value_or(0)};
}

}  // namespace

FlowResult follow_points_with_opencv(const ImageView<const std::uint8_t>& from,
                                     const ImageView<const std::uint8_t>& to,
                                     std::span<const FlowPoint> points, std::span<const FlowPoint> guesses,
                                     const FlowOptions& options) {
    FlowResult result;
    if (points.empty()) return result;
    // Memory that is there already is kept, and with it the zeros that OpenCV does not write over.
    result.errors.assign(points.size(), 0.0F);
    std::vector<cv::Point2f> moved = points_of(guesses.empty() ? points : guesses);
    const int flags = (options.starts_at_guess ? cv::OPTFLOW_USE_INITIAL_FLOW : 0) |
                      (options.errors_are_eigenvalues ? cv::OPTFLOW_LK_GET_MIN_EIGENVALS : 0);
    try {
        cv::calcOpticalFlowPyrLK(grey_mat(from), grey_mat(to), points_of(points), moved, result.found,
                                 result.errors, {options.window.width, options.window.height},
                                 options.max_level, criteria_of(options), flags, options.min_eigenvalue);
    } catch (const cv::Exception& error) {
        throw Error("OpenCV cannot follow points: " + error.err);
    }
    result.moved = points_of(moved);
    return result;
}

std::vector<FlowPoint> good_features_with_opencv(const ImageView<const std::uint8_t>& image,
                                                 const GoodFeaturesOptions& options,
                                                 const ImageView<const std::uint8_t>& mask) {
    std::vector<cv::Point2f> corners;
    try {
        cv::goodFeaturesToTrack(grey_mat(image), corners, options.max_corners, options.quality,
                                options.min_distance, mask.empty() ? cv::Mat() : grey_mat(mask));
    } catch (const cv::Exception& error) {
        throw Error("OpenCV cannot find corners: " + error.err);
    }
    return points_of(corners);
}

}  // namespace fovea
