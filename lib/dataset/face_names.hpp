#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "lib/core/types.hpp"
#include "lib/dataset/dataset.hpp"

namespace fovea {

/// The attribute of faces that holds the name of the person shown, as photo managers give it. It tells the
/// people in a picture of several apart, whom Sample::subject cannot.
inline constexpr std::string_view name_attribute = "name";

/// The name of the person shown; empty if nobody has named the face.
inline std::string_view name_of(const Face& face) {
    const std::string* const name = find_attribute(face.attributes, name_attribute);
    return name != nullptr ? std::string_view(*name) : std::string_view();
}

/// True if the annotation names at least one face of the image.
inline bool names_faces(const Sample& sample) {
    return std::any_of(sample.faces.begin(), sample.faces.end(),
                       [](const Face& face) { return !name_of(face).empty(); });
}

}  // namespace fovea
