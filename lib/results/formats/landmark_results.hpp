#pragma once

#include <string>

#include "lib/results/results.hpp"

namespace fovea {

/// Reads the results of a landmarker: what read_results() reads, or annotation files that another program
/// wrote:
///
/// - "pts:DIR": a folder with a .pts file for every face found, as NAME.pts in the same sub-folders as the
///   images NAME.jpg, or as NAME_1.pts, NAME_2.pts ... where an image NAME is known and none is called
///   NAME_1; images need not be there. A face's box is that of its points. An image without a .pts file is
///   one that the results lack.
/// - "dlib:FILE.xml" and "fovea:FILE.json": a dataset with landmarks, read as read_dataset() reads it; faces
///   marked ignore are left out.
///
/// Scores are 1. \throws UsageError if the folder is not there or holds no .pts file; as read_dataset and
/// read_results.
DetectionResults read_landmark_results(const std::string& specification);

/// The same, but read_results() reads with names as the dataset has them.
DetectionResults read_landmark_results(const std::string& specification, const Dataset& dataset);

}  // namespace fovea
