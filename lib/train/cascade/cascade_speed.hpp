#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "kernels/haar_lbp/cascade.hpp"
#include "lib/core/job_hooks.hpp"
#include "lib/core/time_summary.hpp"
#include "lib/image/formats/image.hpp"

namespace fovea {

/// The time that a cascade takes for one image.
struct CascadeSpeed {
    std::string cascade;     ///< name
    bool by_opencv = false;  ///< run by cv::CascadeClassifier; else by the program's own engine
    std::size_t stages = 0, trees = 0;
    std::size_t repetitions = 0;
    TimeSummary time;
};

/// Image size that cascades are timed on, pixels.
inline constexpr Size speed_image_size{1920, 1080};

/// Times a cascade by the program's engine and by the linked OpenCV, and OpenCV's own cascades of the same
/// kind, if they are installed (find_model), by the program's engine. Each runs on one thread, from grey
/// pixels to ungrouped windows (scale factor 1.1): first once to warm up, then in turns, so that a busy
/// machine slows all of them. \param file of the cascade. \param picture becomes the image, scaled to
/// speed_image_size. \param progress called with the rounds done and all; may throw to stop.
std::vector<CascadeSpeed> cascade_speeds(const Cascade& cascade, const std::filesystem::path& file,
                                         const GreyImage& picture, const CountProgress& progress = {});

}  // namespace fovea
