#pragma once

#include <string>

#include "lib/json/json_fwd.hpp"

namespace fovea {

/// Whether two manifests are of the same work, by their "work" {"images", "images_sha256", "sha256"}. \return
/// what differs, for a sentence, as far as "description", of which "sha256" is, tells: "'/detectors/0/step'
/// is 1 and 2". Empty if nothing does.
std::string compare_manifests(const Json& first_manifest, const Json& second_manifest);

/// The first difference of two descriptions of work, for people: "image/max_megapixels is 400 and was 200";
/// empty if they are equal.
std::string first_difference_in_work(const Json& now, const Json& before);

}  // namespace fovea
