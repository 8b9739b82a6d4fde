#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "lib/dataset/dataset.hpp"
#include "lib/files/staged_files.hpp"
#include "lib/image/formats/decode.hpp"

namespace fovea::report {

/// A whole image in small, as a file beside a page.
struct SamplePicture {
    /// Relative to the page's folder: "pictures/000017.jpg". Empty where there is none: beyond the limits, or
    /// the image could not be read.
    std::string address;
    /// The size of the image as it was decoded; absent where it was not.
    std::optional<ImageSize> size;
};

struct SamplePictureLimits {
    /// At most so many pictures, the first ones.
    std::size_t pictures = 0;
    /// They end where their files reach this size.
    std::size_t bytes = 0;
};

/// Adds pictures of samples to the folder "pictures", their longer side thumbnail_side pixels. An image that
/// cannot be read has no picture. \param samples indices in Dataset::samples. \return parallel to `samples`.
/// \throws ShortageError if the machine lacks something.
std::vector<SamplePicture> add_sample_pictures(StagedFiles& files, const Dataset& dataset,
                                               const std::vector<std::size_t>& samples,
                                               const SamplePictureLimits& limits,
                                               const DecodeOptions& options);

}  // namespace fovea::report
