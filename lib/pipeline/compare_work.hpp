#pragma once

#include <string>

#include "lib/core/json.hpp"

namespace fovea {

/// Whether two manifests are of the same work, by their "work" {"images", "images_sha256", "sha256"}. \return what differs,
/// for a sentence, as far as "description", of which "sha256" is, tells: "'/detectors/0/step' is 1 and 2". Empty if nothing
/// does.
std::string difference_of_work(const Json& first_manifest, const Json& second_manifest);

}  // namespace fovea
