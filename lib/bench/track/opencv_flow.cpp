#include "lib/bench/track/opencv_flow.hpp"

#include <opencv2/video/tracking.hpp>

namespace fovea {

struct OpenCvFlow::Pyramids {
    std::vector<cv::Mat> previous, next;
};

OpenCvFlow::OpenCvFlow(const FlowOptions& options)
    : options_(options), pyramids_(std::make_unique<Pyramids>()) {}
OpenCvFlow::~OpenCvFlow() = default;

void OpenCvFlow::add_frame(ImageView<const std::uint8_t> image) {
    std::swap(pyramids_->previous, pyramids_->next);
    const cv::Mat picture(image.height, image.width, CV_8UC1, const_cast<std::uint8_t*>(image.data),
                          static_cast<std::size_t>(image.stride));
    cv::buildOpticalFlowPyramid(picture, pyramids_->next, {options_.window.width, options_.window.height},
                                options_.max_level, true);
}

void OpenCvFlow::follow(std::span<const FlowPoint> points, std::span<FlowPoint> moved,
                        std::span<std::uint8_t> found) {
    const int count = static_cast<int>(points.size());
    static_assert(sizeof(FlowPoint) == sizeof(cv::Point2f));
    const cv::Mat from(count, 1, CV_32FC2, const_cast<FlowPoint*>(points.data()));
    cv::Mat to(count, 1, CV_32FC2, moved.data());
    cv::Mat status(count, 1, CV_8UC1, found.data());
    const cv::TermCriteria criteria(cv::TermCriteria::COUNT + cv::TermCriteria::EPS,
                                    options_.max_iterations.value_or(30), options_.epsilon.value_or(0.01));
    cv::calcOpticalFlowPyrLK(pyramids_->previous, pyramids_->next, from, to, status, cv::noArray(),
                             {options_.window.width, options_.window.height}, options_.max_level, criteria, 0,
                             options_.min_eigenvalue);
}

}  // namespace fovea
