#pragma once

#include "lib/dataset/dataset.hpp"

namespace fovea {

/// Photographs whose EXIF orientation turns them for display are detected, cut and measured as displayed.
/// Some programs annotate them on their stored pixels. Here such annotations are turned with their pictures,
/// and sizes that state stored pixels become those of the displayed picture, with a warning of the dataset
/// that says so.
///
/// Which pixels an annotation means is decided for the dataset as a whole, by the images that orientations 5
/// to 8 turn on their sides: by boxes whose centre lies in the stored picture and not in the displayed one,
/// or the reverse, else by the sizes that the annotation states. Without either it is taken as displayed,
/// with a warning. The beginnings of the files that are there are read; frames of videos are left as they
/// are.
void turn_stored_annotations(Dataset& dataset);

}  // namespace fovea
