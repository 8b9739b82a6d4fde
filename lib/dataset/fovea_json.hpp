#pragma once

#include <string>

#include "lib/dataset/dataset.hpp"
#include "lib/json/json_fwd.hpp"

namespace fovea {

/// Writes a dataset as the project's own JSON, format "fovea-dataset" version 1:
///
///     {"format": "fovea-dataset", "version": 1, "name": "...", "root": "...", "images": [{"image": "a.jpg",
///     "path": "/elsewhere/a.jpg", "subject": "...", "eyes": [lx, ly, rx, ry], "size": [width, height],
///     "attributes": {"event": "0--Parade"}, "annotated": true, "faces": [{"box": [x, y, w, h], "ignore":
///     true, "crowd": true, "eyes": [...], "landmarks": [[x, y], ...], "ellipse": [cx, cy, major, minor,
///     angle], "area": 99.5, "attributes": {"blur": "heavy"}}]}], "pairs": [[first, second, same, fold],
///     ...]}
///
/// "path" is there only if the file is not root/image; "image", "annotated", "faces" and "box" are always
/// there, other keys only if they have a value. An ellipse has the members of Ellipse (angle in radians); a
/// pair is two indices of images, true or false, and the fold from 0. Equal datasets give equal bytes;
/// samples, pairs, name and root come back exactly (numbers are the shortest text that reads back as the same
/// double). Dataset::sources and warnings are not kept.
/// \throws Error for what JSON cannot hold: a path or name that is not UTF-8, a number that is not finite, an
/// attribute's name that stands twice.
Json dataset_to_fovea_json(const Dataset& dataset);

/// Reads the JSON of dataset_to_fovea_json(). Dataset::format becomes "fovea".
///
/// \param origin the text's name in errors, e.g. its file.
/// \throws Error for another format or version, unknown or missing keys, wrong types, negative widths or
/// heights, numbers beyond ±10 million, and an image that is named twice; with the JSON pointer of the place.
Dataset dataset_from_fovea_json(const Json& json, const std::string& origin);

}  // namespace fovea
