#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/dataset/dataset.hpp"
#include "lib/dataset/image_size_lookup.hpp"
#include "lib/files/output_files.hpp"

namespace fovea {

/// A format that datasets are written in.
struct DatasetOutputFormat {
    std::string_view name;
    bool is_folder = false;              ///< a folder of files, else one file
    bool uses_sizes = false;             ///< it states the images' sizes, or needs them to state boxes
    bool holds_annotation_only = false;  ///< images that are not annotated are left out
};

/// A dataset in another format, and how much of it that is.
struct WrittenDataset : OutputFiles {
    std::size_t images = 0;
    std::size_t faces = 0;  ///< ignored ones included
};

/// fovea, coco, voc, yolo, fddb, wider, dlib, pts, mit-cmu-boxes, lfw, feret, mot.
std::span<const DatasetOutputFormat> dataset_output_formats();

/// A dataset in another format. Images are named as in results, relative to the dataset's root. Equal
/// datasets and sizes give equal bytes. Numbers are the shortest text that reads back to the same double, or
/// whole where the format's own programs read whole numbers (voc, wider, dlib: left, right, top and bottom
/// edge are rounded each, halves upwards).
///
/// - fovea, coco: lib/dataset/fovea_json.hpp.
/// - voc: a folder of XML files as of PASCAL VOC 2007, one per image, named as the image; bndbox is the
///   inclusive range of pixels counted from 1: xmin = x + 1, xmax = x + w. difficult is ignore.
/// - yolo: labels/NAME.txt with "0 cx cy w h" in units of the image's size, and classes.txt. Boxes are
///   clipped to the image, for trainers refuse what lies outside.
/// - fddb: one ellipse list: image without extension, number of faces, "ra rb theta cx cy 1" each. A face
///   that was annotated with a box becomes the ellipse inscribed in it, whose own box is that box again.
/// - wider: one text list as wider_face_val_bbx_gt.txt: image, number of faces, "x y w h blur expression
///   illumination invalid occlusion pose" each. ignore is invalid.
/// - dlib: imglab's XML with ignore marks, parts and, where an image shows one face, its subject as the
///   label.
/// - pts: a folder with NAME.pts for each image that shows one face with landmarks; coordinates as they are.
/// - mit-cmu-boxes: facegroundtruth.txt, "name x y w h", one line per face.
/// - lfw: pairs.txt of Dataset::pairs: "folds<TAB>pairs", then by fold the same pairs "Name i j", then the
///   others "NameA i NameB j".
/// - feret: CSU coordinates "name lx ly rx ry", name without folder and extension.
/// - mot: SEQUENCE/gt/gt.txt and SEQUENCE/seqinfo.ini of each sequence (video_sequences), as MOTChallenge has
///   them. Ignored faces have the class of distractors (8). The length of a sequence is up to its last image.
///
/// \param losses receives one sentence for each kind of thing that the format cannot hold, with its count.
/// \param size_of sizes where Sample::size is not set; used only where DatasetOutputFormat::uses_sizes.
/// \throws UsageError for an unknown format; Error if the dataset has nothing that the format could hold, a
/// name cannot stand in it (blanks, line breaks, outside of the dataset's folder, two images that share one
/// name there), or a coordinate is not finite.
WrittenDataset render_dataset(const Dataset& dataset, std::string_view format, const ImageSizeLookup& size_of,
                              std::vector<std::string>& losses);

}  // namespace fovea
