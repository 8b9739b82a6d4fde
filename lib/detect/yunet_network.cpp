#include "lib/detect/yunet_network.hpp"

#include <algorithm>
#include <cmath>
#include <new>
#include <string>

#include <opencv2/core/version.hpp>
#include <opencv2/imgproc.hpp>

#include "lib/core/error.hpp"
#include "lib/core/opencv_scopes.hpp"
#include "lib/files/model_file.hpp"

namespace fovea {
namespace {

cv::Mat three_channels(ImageView<const std::uint8_t> image, double reduction) {
    // OpenCV's matrix does not write to the pixels that it is made of here.
    cv::Mat grey(image.height, image.width, CV_8UC1, const_cast<std::uint8_t*>(image.data),  // NOLINT
                 static_cast<std::size_t>(image.stride));
    if (reduction < 1) {
        const auto reduced = [&](int length) {
            return std::max(1, static_cast<int>(std::floor(length * reduction)));
        };
        cv::Mat smaller;
        cv::resize(grey, smaller, {reduced(image.width), reduced(image.height)}, 0, 0, cv::INTER_AREA);
        grey = smaller;
    }
    const int below = std::max(0, YunetNetwork::min_side - grey.rows);
    const int beside = std::max(0, YunetNetwork::min_side - grey.cols);
    if (below > 0 || beside > 0) {
        cv::Mat continued;
        cv::copyMakeBorder(grey, continued, 0, below, 0, beside, cv::BORDER_REPLICATE | cv::BORDER_ISOLATED);
        grey = continued;
    }
    cv::Mat colours;
    cv::cvtColor(grey, colours, cv::COLOR_GRAY2BGR);
    return colours;
}

}  // namespace

bool is_yunet_model(const std::filesystem::path& file) {
    const std::filesystem::path extension = without_packing(file).extension();
    return extension == ".onnx" || extension == ".ONNX";
}

double yunet_reduction(Size image) {
    const double pixels = double(image.width) * image.height;
    const double longest = std::max(image.width, image.height);
    // The shorter side has at least min_side pixels in the end.
    const double longest_allowed = double(YunetNetwork::max_pixels) / YunetNetwork::min_side;
    return std::min({1.0, std::sqrt(double(YunetNetwork::max_pixels) / pixels), longest_allowed / longest});
}

YunetNetwork::YunetNetwork(const std::filesystem::path& model) : model_(model) {
    const cv::Size size(min_side, min_side);
    const PlainModelFile file(model, "model");
    try {
        const QuietOpenCv quiet;
        network_ = cv::FaceDetectorYN::create(file.path().string(), {}, size, 0.5F, max_iou, max_candidates);
        // Only a run tells whether the network has the outputs that FaceDetectorYN reads.
        cv::Mat faces;
        network_->detect(cv::Mat::zeros(size, CV_8UC3), faces);
    } catch (const cv::Exception& error) {
        throw Error("OpenCV " CV_VERSION " cannot run " + model.string() +
                    " as the face detector YuNet; OpenCV 4.6 takes face_detection_yunet_2022mar.onnx of "
                    "OpenCV's model zoo (" +
                    message_of(error) + ")");
    }
}

std::vector<Detection> YunetNetwork::detect(ImageView<const std::uint8_t> image, double min_score) {
    std::vector<Detection> detections;
    if (image.empty()) return detections;
    const double reduction = yunet_reduction({image.width, image.height});
    cv::Mat faces;
    try {
        const cv::Mat colours = three_channels(image, reduction);
        largest_pixels_ = std::max(largest_pixels_, static_cast<std::int64_t>(colours.total()));
        network_->setInputSize(colours.size());
        network_->setScoreThreshold(static_cast<float>(std::clamp(min_score, 0.0, 1.0)));
        network_->detect(colours, faces);
    } catch (const cv::Exception& error) {
        if (error.code == cv::Error::StsNoMem) throw std::bad_alloc();
        throw Error("OpenCV cannot run " + model_.string() + " on an image of " +
                    std::to_string(image.width) + "x" + std::to_string(image.height) +
                    " pixels: " + message_of(error));
    }
    constexpr int score_column = 14;  // after the box and five points
    for (int row = 0; row < faces.rows; ++row) {
        const auto* const face = faces.ptr<float>(row);
        const double score = face[score_column];
        if (!(score >= min_score)) continue;
        Detection& detection = detections.emplace_back();
        detection.box = {face[0] / reduction, face[1] / reduction, face[2] / reduction, face[3] / reduction};
        detection.score = score;
    }
    return detections;
}

}  // namespace fovea
