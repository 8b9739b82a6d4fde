#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lib/core/json.hpp"
#include "lib/dataset/dataset.hpp"

namespace fovea {

/// A dataset as the project's own JSON, format "fovea-dataset" version 1:
///
///     {"format": "fovea-dataset", "version": 1, "name": "...", "root": "...",
///      "images": [{"image": "a.jpg", "path": "/elsewhere/a.jpg", "subject": "...", "eyes": [lx, ly, rx, ry],
///                  "size": [width, height], "attributes": {"event": "0--Parade"}, "annotated": true,
///                  "faces": [{"box": [x, y, w, h], "ignore": true, "crowd": true, "eyes": [...],
///                             "landmarks": [[x, y], ...], "ellipse": [cx, cy, major, minor, angle],
///                             "area": 99.5, "attributes": {"blur": "heavy"}}]}],
///      "pairs": [[first, second, same, fold], ...]}
///
/// "path" stands only where the file is not at root/image; the other keys but "image", "annotated", "faces" and
/// "box" only where there is something to say. Radii and angle (radians) of an ellipse as in Ellipse; a pair is
/// two indices of images, true or false, and the fold from 0. Equal datasets give equal bytes; samples, pairs,
/// name and root come back exactly as they were (numbers too: the shortest text that reads back to the same
/// double). Dataset::sources and warnings belong to the reading and are not kept. \throws Error if a path or
/// name is not UTF-8, a number not finite, or an attribute's name stands twice: JSON cannot hold it.
Json dataset_to_fovea_json(const Dataset& dataset);

/// The reverse of dataset_to_fovea_json. Dataset::format becomes "fovea".
///
/// \param origin how error messages name the text, e.g. its file.
/// \throws Error for another format or version, unknown or missing keys, wrong types, negative widths or heights,
///         numbers beyond ±10 million, and an image that is named twice; with the JSON pointer of the place.
Dataset dataset_from_fovea_json(const Json& json, const std::string& origin);

/// Gives a sample's size where it is known, e.g. from a results file or by decoding the image.
using ImageSizeLookup = std::function<std::optional<ImageSize>(const Sample&)>;

/// A dataset as COCO object-detection JSON: images, annotations and the one category 1 "face".
///
/// Ids of images are those of coco_image_ids, those of annotations count from 1 (id 0 would read as "unmatched" in
/// pycocotools). bbox = [x, y, w, h], area = Face::area or w * h, iscrowd = 1 for crowds, and "ignore": 1 where a
/// face is marked so and is no crowd. Where all faces with landmarks have the same number of them, the category
/// names that many keypoints and each face gives [x, y, 2] for each (visible), or zeros if it has none.
/// "attributes" (an object; no key of COCO's) holds those of faces and images. Equal datasets and sizes give
/// equal bytes.
///
/// \param losses receives one sentence for each kind of thing that COCO cannot say and a reader will miss.
/// \param size_of sizes for "width" and "height" where Sample::size is not set; else they are 0.
/// \throws Error if a name is not UTF-8 or a number not finite.
Json dataset_to_coco_json(const Dataset& dataset, std::vector<std::string>& losses,
                          const ImageSizeLookup& size_of = {});

/// The image ids of a dataset in COCO JSON, parallel to its samples: the integers of their attribute "id", as a COCO
/// file gave them, where all have one and no two the same; else counted from 1.
std::vector<std::int64_t> coco_image_ids(const Dataset& dataset);

}  // namespace fovea
