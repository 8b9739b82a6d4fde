#pragma once

#include "lib/dataset/dataset.hpp"

namespace fovea {

/// Turns annotations of stored pixels for display. Photographs with an EXIF orientation are detected, cut and
/// measured as displayed, but some programs annotate their stored pixels. This turns such annotations with
/// their pictures, changes stated sizes, and adds a warning.
///
/// One decision holds for the whole dataset, by the images that orientations 5 to 8 turn on their sides: by
/// boxes whose centre lies in the stored picture and not in the displayed one, or the reverse; else by the
/// sizes that the annotation states. Without either, annotations count as displayed, with a warning. It reads
/// the beginnings of the files that are there; frames of videos stay as they are.
void turn_stored_annotations(Dataset& dataset);

/// The place in the displayed picture of a box in the stored one. \param orientation EXIF's, 1 to 8.
/// \param width, height of the stored picture, in the box's unit.
Box displayed_box(Box stored, int orientation, double width, double height);

/// The place in the stored picture of a box in the displayed one: the inverse of displayed_box().
Box stored_box(Box displayed, int orientation, double width, double height);

}  // namespace fovea
