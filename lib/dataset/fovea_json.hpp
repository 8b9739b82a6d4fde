#pragma once

#include <string>

#include "lib/dataset/dataset.hpp"
#include "lib/json/json_fwd.hpp"

namespace fovea {

/// A dataset as the project's own JSON, format "fovea-dataset" version 1:
///
///     {"format": "fovea-dataset", "version": 1, "name": "...", "root": "...", "images": [{"image": "a.jpg",
///     "path": "/elsewhere/a.jpg", "subject": "...", "eyes": [lx, ly, rx, ry], "size": [width, height],
///     "attributes": {"event": "0--Parade"}, "annotated": true, "faces": [{"box": [x, y, w, h], "ignore":
///     true, "crowd": true, "eyes": [...], "landmarks": [[x, y], ...], "ellipse": [cx, cy, major, minor,
///     angle], "area": 99.5, "attributes": {"blur": "heavy"}}]}], "pairs": [[first, second, same, fold],
///     ...]}
///
/// "path" stands only where the file is not at root/image; the other keys but "image", "annotated", "faces"
/// and "box" only where there is something to say. Radii and angle (radians) of an ellipse as in Ellipse; a
/// pair is two indices of images, true or false, and the fold from 0. Equal datasets give equal bytes;
/// samples, pairs, name and root come back exactly as they were (numbers too: the shortest text that reads
/// back to the same double). Dataset::sources and warnings belong to the reading and are not kept. \throws
/// Error if a path or name is not UTF-8, a number not finite, or an attribute's name stands twice: JSON
/// cannot hold it.
Json dataset_to_fovea_json(const Dataset& dataset);

/// The reverse of dataset_to_fovea_json. Dataset::format becomes "fovea".
///
/// \param origin how error messages name the text, e.g. its file.
/// \throws Error for another format or version, unknown or missing keys, wrong types, negative widths or
/// heights, numbers beyond ±10 million, and an image that is named twice; with the JSON pointer of the place.
Dataset dataset_from_fovea_json(const Json& json, const std::string& origin);

}  // namespace fovea
