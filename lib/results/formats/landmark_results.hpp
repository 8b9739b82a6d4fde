#pragma once

#include <string>

#include "lib/results/results.hpp"

namespace fovea {

/// Reads the results of a landmarker: whatever read_results() reads, or annotation files that another
/// program wrote:
///
/// - "pts:DIR": a folder with a .pts file for every face that was found: NAME.pts in the same sub-folder as
///   the image NAME.jpg, or NAME_1.pts, NAME_2.pts, ... if an image NAME is known and none is called NAME_1.
///   Images need not be there. A face's box encloses its points. The results lack images without a .pts file.
/// - "dlib:FILE.xml" and "fovea:FILE.json": a dataset with landmarks, read as read_dataset() reads it; faces
///   marked ignore are left out.
///
/// Scores are 1. \throws UsageError if the folder is not there or holds no .pts file; errors of
/// read_dataset() and read_results().
DetectionResults read_landmark_results(const std::string& specification);

/// Reads the results of a landmarker for a dataset: read_results() then gives names as the dataset has them.
DetectionResults read_landmark_results(const std::string& specification, const Dataset& dataset);

}  // namespace fovea
