#pragma once

#include "lib/dataset/readers/readers.hpp"

namespace fovea {

DatasetRecogniser recognise_video, recognise_mot, recognise_300vw;
DatasetReader read_video_dataset, read_mot_dataset, read_300vw_dataset;

}  // namespace fovea
