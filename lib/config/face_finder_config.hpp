#pragma once

#include <optional>
#include <string>

#include "lib/config/landmark_config.hpp"
#include "lib/files/find_model.hpp"
#include "lib/recognise/enrolment.hpp"

namespace fovea {

/// How faces are found for a recogniser: what a configuration or flags say.
struct FaceFinderConfig {
    FaceSource source = FaceSource::automatic;
    FaceChoice choice = FaceChoice::one;
    std::string detector = default_model;  ///< a file or a name that find_model knows
    std::string landmarks = "helen";       ///< a file or a name that find_landmark_model knows
    std::string convention = auto_convention;
    std::optional<Eyes> fallback_eyes{};  ///< see FaceFinder
};

/// Its fields but `choice`, with their flags: see FieldVisitor.
void describe(FieldVisitor& visitor, FaceFinderConfig& config);

}  // namespace fovea
