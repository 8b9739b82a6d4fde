#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lib/dataset/dataset.hpp"
#include "lib/dataset/image_id.hpp"
#include "lib/dataset/image_size_lookup.hpp"
#include "lib/json/json_fwd.hpp"

namespace fovea {

/// A dataset as COCO object-detection JSON: images, annotations and the one category 1 "face".
///
/// Ids of images are those of coco_image_ids, those of annotations count from 1 (id 0 would read as
/// "unmatched" in pycocotools). bbox = [x, y, w, h], area = Face::area or w * h, iscrowd = 1 for crowds, and
/// "ignore": 1 where a face is marked so and is no crowd. The category names as many keypoints as a face has
/// if all faces with landmarks have the same number of them; each face then gives [x, y, 2] for each
/// (visible), or zeros if it has none. "attributes" (an object; no key of COCO's) holds those of faces and
/// images. Equal datasets and sizes give equal bytes.
///
/// \param losses receives one sentence for each kind of thing that COCO cannot say and a reader will miss.
/// \param size_of sizes for "width" and "height" where Sample::size is not set; else they are 0.
/// \throws Error if a name is not UTF-8 or a number not finite.
Json dataset_to_coco_json(const Dataset& dataset, std::vector<std::string>& losses,
                          const ImageSizeLookup& size_of = {});

/// The image ids of a dataset in COCO JSON, parallel to its samples: those of their attribute "id", as a COCO
/// file gave them, where all have one and no two the same; else counted from 1.
std::vector<RecordId> coco_image_ids(const Dataset& dataset);

}  // namespace fovea
