#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "apps/options/field_flags.hpp"
#include "apps/options/max_unreadable.hpp"
#include "apps/terminal/cli_fwd.hpp"
#include "apps/terminal/console.hpp"
#include "apps/terminal/interrupt.hpp"
#include "lib/recognise/enrolment.hpp"
#include "lib/run/recognition/recognition_run.hpp"

namespace fovea {

/// The flags of FaceFinderConfig.
struct FaceFinderFlags : FieldFlags {};

void add_face_finder_flags(CLI::App& app, FaceFinderFlags& flags);

/// \throws UsageError naming a flag that is wrong.
void apply(const FaceFinderFlags& flags, FaceFinderConfig& config);

/// The flags of `evaluate verification` and `evaluate identification`, which recognise themselves if a
/// recogniser is named.
struct RecogniserFlags {
    std::vector<std::string> recognisers;
    FaceFinderFlags finder;
    std::optional<std::string> device;
    std::optional<UnreadableLimit> max_unreadable;
};

void add_recogniser_flags(CLI::App& app, RecogniserFlags& flags);

/// \throws UsageError for flags of recognisers without a recogniser.
void check_recogniser_flags(const RecogniserFlags& flags);

/// Warns of images that gave no face: for each reason their number, and the first few.
void warn_failures(const DescribedImages& outcome);

/// Adds images, faces, faces_at_fallback_eyes, failures and interrupted.
void add_recognition_json(Json& json, const DescribedImages& outcome);

}  // namespace fovea
