#pragma once

#include <optional>
#include <string>

#include "lib/config/landmark_config.hpp"
#include "lib/files/find_model.hpp"
#include "lib/recognise/enrolment.hpp"

namespace fovea {

/// How faces are found for a recogniser, as a configuration or flags state it.
struct FaceFinderConfig {
    FaceSource source = FaceSource::automatic;
    FaceChoice choice = FaceChoice::one;
    std::string detector = default_model;  ///< a file, or a name for find_model()
    std::string landmarks = "helen";       ///< a file, or a name for find_landmark_model()
    std::string convention = auto_convention;
    std::optional<Eyes> fallback_eyes{};  ///< see FaceFinder
};

/// Describes all fields but `choice`, with their flags: see FieldVisitor.
void describe(FieldVisitor& visitor, FaceFinderConfig& config);

}  // namespace fovea
