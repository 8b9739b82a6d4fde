#pragma once

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
///                  "annotated": true,
///                  "faces": [{"box": [x, y, w, h], "ignore": true, "eyes": [...], "landmarks": [[x, y],
///                  ...]}]}]}
///
/// "path" stands only where the file is not at root/image; "subject", "eyes", "ignore" and "landmarks" only
/// where there is something to say; "annotated" and "faces" always. Equal datasets give equal bytes; samples,
/// name and root come back exactly as they were (numbers too: the shortest text that reads back to the same
/// double). Dataset::sources and warnings belong to the reading and are not kept. \throws Error if a path or
/// name is not UTF-8, or a number not finite: JSON cannot hold it.
Json dataset_to_fovea_json(const Dataset& dataset);

/// The reverse of dataset_to_fovea_json. Dataset::format becomes "fovea".
///
/// \param origin how error messages name the text, e.g. its file.
/// \throws Error for another format or version, unknown or missing keys, wrong types, boxes without area,
///         numbers beyond ±10 million, and an image that is named twice; with the JSON pointer of the place.
Dataset dataset_from_fovea_json(const Json& json, const std::string& origin);

/// Gives a sample's size where it is known, e.g. from a results file or by decoding the image.
using ImageSizeLookup = std::function<std::optional<ImageSize>(const Sample&)>;

/// A dataset as COCO object-detection JSON: images, annotations and the one category 1 "face".
///
/// Ids count from 1 in dataset order (id 0 would read as "unmatched" in pycocotools). bbox = [x, y, w, h],
/// area = w * h, iscrowd = 0, and "ignore": 1 where the face is marked so. Where all faces with landmarks
/// have the same number of them, the category names that many keypoints and each face gives [x, y, 2] for
/// each (visible), or zeros if it has none. Equal datasets and sizes give equal bytes.
///
/// \param losses receives one sentence for each kind of thing that COCO cannot say and a reader will miss.
/// \param size_of sizes for "width" and "height"; where it is empty or gives nothing they are 0.
/// \throws Error if a name is not UTF-8 or a number not finite.
Json dataset_to_coco_json(const Dataset& dataset, std::vector<std::string>& losses,
                          const ImageSizeLookup& size_of = {});

}  // namespace fovea
