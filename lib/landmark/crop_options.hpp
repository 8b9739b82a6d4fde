#pragma once

#include <optional>
#include <string>

namespace fovea {

/// How faces are cut out of images.
enum class CropKind {
    aligned,  ///< turned and scaled by the eyes, in grey
    box,      ///< the box with a margin, in the picture's colours
};

/// The kind named "aligned" or "box"; nothing for other names.
std::optional<CropKind> crop_kind_of(const std::string& name);
std::string to_string(CropKind kind);

struct CropOptions {
    CropKind kind = CropKind::aligned;
    /// Side in pixels of the square that a box becomes, 1 to 4096; 0 = the box keeps its shape and pixels.
    int size = 0;
    /// Added at each side of a box, as a share of its width and height, 0 to 4.
    double margin = 0.25;
    bool as_jpeg = false;  ///< of quality 92, else PNG

    friend bool operator==(const CropOptions&, const CropOptions&) = default;
};

/// \throws UsageError if a member is out of its range.
void check_crop_options(const CropOptions& options);

}  // namespace fovea
