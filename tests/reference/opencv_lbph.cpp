#include "tests/reference/opencv_lbph.hpp"

#include <numeric>
#include <vector>

#include <opencv2/core.hpp>
#include <opencv2/face/facerec.hpp>

namespace fovea::test {

class OpencvLbph::Recognizer {
  public:
    explicit Recognizer(Size face)
        : face_(face), recognizer_(cv::face::LBPHFaceRecognizer::create(1, 8, 8, 8)) {
        cv::setNumThreads(1);
    }

    void train(const std::uint8_t* faces, std::size_t count) {
        std::vector<cv::Mat> images;
        std::vector<int> labels(count);
        std::iota(labels.begin(), labels.end(), 0);
        for (std::size_t i = 0; i < count; ++i) images.push_back(image_of(faces + i * pixels()));
        recognizer_->train(images, labels);
    }

    std::size_t predict(const std::uint8_t* face) const {
        return static_cast<std::size_t>(recognizer_->predict(image_of(face)));
    }

  private:
    std::size_t pixels() const {
        return static_cast<std::size_t>(face_.width) * static_cast<std::size_t>(face_.height);
    }
    // OpenCV has no images of constant pixels; it only reads these.
    cv::Mat image_of(const std::uint8_t* face) const {
        return {face_.height, face_.width, CV_8U, const_cast<std::uint8_t*>(face)};
    }

    Size face_;
    cv::Ptr<cv::face::LBPHFaceRecognizer> recognizer_;
};

OpencvLbph::OpencvLbph(Size face) : recognizer_(std::make_unique<Recognizer>(face)) {}
OpencvLbph::~OpencvLbph() = default;

void OpencvLbph::train(const std::uint8_t* faces, std::size_t count) {
    recognizer_->train(faces, count);
}

std::size_t OpencvLbph::predict(const std::uint8_t* face) const {
    return recognizer_->predict(face);
}

}  // namespace fovea::test
