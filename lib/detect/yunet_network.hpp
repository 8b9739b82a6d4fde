#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include <opencv2/objdetect.hpp>

#include "kernels/core/view.hpp"
#include "lib/core/types.hpp"

namespace fovea {

/// True if the file's name ends in ".onnx" or ".ONNX": nothing at the beginning of such a file would tell it
/// from others.
bool is_yunet_model(const std::filesystem::path& file);

/// The linked OpenCV's cv::FaceDetectorYN with a model of the user's: the network YuNet (Wu, Peng and Yu,
/// "YuNet: a tiny millisecond-level face detector", 2023). OpenCV 4.6 runs face_detection_yunet_2022mar.onnx.
///
/// Images are grey and go to the network with the same value in all three channels. An image with a side of
/// fewer than `min_side` pixels is continued to that length by its last column or row, as the network cannot
/// run on less; one of more than `max_pixels` is reduced to them by area, as the network needs 90 bytes a
/// pixel. All others are taken as they are.
///
/// Not for several threads at once.
class YunetNetwork {
  public:
    static constexpr int min_side = 64;
    static constexpr std::int64_t max_pixels = std::int64_t{1} << 23;  ///< 3840x2160 are fewer
    /// Boxes with a larger IoU are one face: what OpenCV's users have.
    static constexpr float max_iou = 0.3F;
    /// Candidates before overlaps are dropped, as OpenCV's users have it.
    static constexpr int max_candidates = 5000;

    /// \throws Error if OpenCV cannot load the file, or run it as YuNet.
    explicit YunetNetwork(const std::filesystem::path& model);

    /// FaceDetectorYN's boxes, unclipped and in pixels of the image, with its scores in 0...1, in its order.
    /// \param min_score scores below are dropped.
    /// \throws std::bad_alloc; Error if OpenCV fails.
    std::vector<Detection> detect(ImageView<const std::uint8_t> image, double min_score);

    /// The pixels of the largest image so far, as the network saw it: what its memory follows.
    std::int64_t largest_pixels() const { return largest_pixels_; }

  private:
    std::filesystem::path model_;
    cv::Ptr<cv::FaceDetectorYN> network_;
    std::int64_t largest_pixels_ = 0;
};

/// The factor, at most 1, by which YunetNetwork reduces both sides of an image of this size.
double yunet_reduction(Size image);

}  // namespace fovea
