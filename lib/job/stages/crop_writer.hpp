#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include <opencv2/core/mat.hpp>

#include "lib/files/input_files.hpp"
#include "lib/image/formats/decode.hpp"
#include "lib/inputs/image_list.hpp"
#include "lib/landmark/crop_options.hpp"
#include "lib/landmark/face_crops.hpp"

namespace fovea {

/// Writes the faces of images into a folder: STEM-N.png, or .jpg, for the N-th detection of an image, from 1;
/// STEM is from crop_stems(). For any threads.
///
/// Each write replaces older files of these names, and returns the name of each detection's file, relative to
/// the folder, with '/'; empty for a detection without a file. It throws UsageError if a file would overwrite
/// an input, and AppendError if the disk is full or refuses.
class CropWriter {
  public:
    /// \param decode how files of images become pictures. \throws UsageError if the folder cannot be made, or
    /// as check_crop_options.
    CropWriter(OutputFolder folder, const ImageList& images, const CropOptions& options = {},
               const DecodeOptions& decode = {}, const CropGeometry& geometry = {});

    /// True if crops are in colours, so that the images' files are needed.
    bool takes_files() const { return options_.kind == CropKind::box; }

    /// An image in its colours. \throws ImageError as read_picture.
    cv::Mat picture_of(std::span<const std::uint8_t> file) const;

    /// Writes crops of kind aligned. Detections whose eyes are not known get none. \param number of the image
    /// in the list.
    std::vector<std::string> write_aligned(std::size_t number, ImageView<const std::uint8_t> image,
                                           const std::vector<Detection>& detections) const;

    /// Writes crops of kind box. Detections outside of the picture get none. \param picture CV_8UC1
    /// or CV_8UC3.
    std::vector<std::string> write_boxes(std::size_t number, const cv::Mat& picture,
                                         const std::vector<Detection>& detections) const;

  private:
    std::string write(std::size_t number, std::size_t detection, const std::string& bytes) const;

    OutputFolder folder_;
    CropOptions options_;
    DecodeOptions decode_;
    CropGeometry geometry_;
    std::vector<std::string> stems_;
};

}  // namespace fovea
