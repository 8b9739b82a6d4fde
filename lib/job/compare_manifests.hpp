#pragma once

#include <string>

#include "lib/json/json_fwd.hpp"

namespace fovea {

/// Compares the work of two manifests by their "work" {"images", "images_sha256", "sha256"}. \return a
/// difference, for a sentence: of the whole lists, or the first three of the "description" of the work:
/// "'/detectors/0/step' is 1 and 2"; empty if there is none.
std::string compare_manifests(const Json& first_manifest, const Json& second_manifest);

/// The first difference of two descriptions of work, for people: "image/max_megapixels is 400 and was 200";
/// empty if they are equal.
std::string first_difference_in_work(const Json& now, const Json& before);

}  // namespace fovea
