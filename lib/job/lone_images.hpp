#pragma once

#include <cstddef>
#include <vector>

#include "lib/job/job_files.hpp"
#include "lib/job/stages/detect_images.hpp"

namespace fovea {

/// The number of images that a job does one by one because it was killed when its memory was full: one of
/// them may take more than there is. 0 for a job that was not, for annotated sets, and where crops are cut
/// out.
std::size_t lone_images(const DetectionJob& job);

/// Does so many images from options.first on, one after the other. The first one is recorded as unreadable if
/// the program was killed twice at it. \param options those of all images. \return as detect_images()
DetectImagesResult detect_lone_images(const DetectionJob& job, const std::vector<DetectorTask>& tasks,
                                      const DetectImagesOptions& options, std::size_t count, JobFiles& files);

/// Adds what was done before to what was done later; loads of stages are those of the later.
void add_images(DetectImagesResult&& before, DetectImagesResult& later);

}  // namespace fovea
