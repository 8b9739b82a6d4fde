#pragma once

#include <string>

#include "lib/detect/detector_options.hpp"
#include "lib/recognise/recogniser_config.hpp"
#include "lib/track/tracker_options.hpp"

namespace fovea {

class FieldVisitor;

/// How faces are followed through videos, and by what a person is known again.
struct TrackConfig {
    TrackerOptions tracker;
    /// Tracks of one person that do not overlap in time get one number.
    bool rejoin = false;
    double max_rejoin_distance = 0;  ///< of the recogniser's features; 0 = the default for the recogniser
    std::string recogniser = default_recogniser;  ///< a file or a name that find_recogniser knows
    double smoothing = 0;                         ///< of boxes and points in annotated videos; 0 = none
};

/// Sets the scores that detections need: a weak one continues a track. Only a confidence tells the weak ones:
/// all that other detectors report may begin tracks. \param sure_score of a confidence, where the detector
/// has no min_score. \param detection resolved options of the detector
void set_tracking_scores(double sure_score, DetectorOptions& detection, TrackerOptions& tracker);

/// "flow" or "detections".
std::string to_string(FollowMode mode);

/// "grid" or "landmarks".
std::string to_string(FollowedPoints points);

/// Its fields, with their ranges and flags: see FieldVisitor.
void describe(FieldVisitor& visitor, TrackConfig& config);

}  // namespace fovea
