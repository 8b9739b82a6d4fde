#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "lib/inputs/image_list.hpp"
#include "lib/landmark/face_crops.hpp"

namespace fovea {

/// Writes the aligned crops of the faces in images into a folder: STEM-N.png for the N-th detection of an
/// image, from 1, STEM as crop_stems() has it.
class CropWriter {
  public:
    /// \throws UsageError if the folder cannot be made.
    CropWriter(std::filesystem::path folder, const ImageList& images, const CropGeometry& geometry = {});

    /// Writes the crops of one image; older files of their names are replaced. Detections whose eyes are not
    /// known have none. \param number of the image in the list. \return how many were written.
    /// \throws UsageError if one would overwrite one of the images; AppendError if the disk is full or
    /// refuses.
    std::size_t write(std::size_t number, ImageView<const std::uint8_t> image,
                      const std::vector<Detection>& detections) const;

  private:
    std::filesystem::path folder_;
    CropGeometry geometry_;
    std::vector<std::string> stems_;
};

}  // namespace fovea
