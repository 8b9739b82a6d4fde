#pragma once

#include <string>

#include "lib/detect/detector_options.hpp"
#include "lib/recognise/recogniser_config.hpp"
#include "lib/track/tracker_options.hpp"

namespace fovea {

class FieldVisitor;

/// The false accept rate of pairs of faces up to which they are taken for one person, unless a distance is
/// set: a new track is compared with up to eight faces of each person.
inline constexpr double rejoin_far = 0.0001;

/// How faces are followed through videos, and how a person is recognised in a later track.
struct TrackConfig {
    TrackerOptions tracker;
    /// Tracks of one person that do not overlap in time get one number. That is so wherever landmarks and a
    /// recogniser allow it, unless `separate` is set; with `rejoin`, it is an error where they do not.
    bool rejoin = false;
    bool separate = false;
    double max_rejoin_distance = 0;  ///< between the recogniser's features; 0 = the recogniser's default
    bool explain = false;            ///< a file tells what was decided on each track in each frame
    std::string recogniser = default_recogniser;  ///< a file, or a name for find_recogniser()
    double smoothing = 0;                         ///< of boxes and points in annotated videos; 0 = none
};

/// Sets the scores that detections need to begin and to continue a track. If scores are confidences, weak
/// detections only continue tracks; otherwise any detection begins one. \param sure_score the confidence that
/// begins a track unless the detector has a min_score. \param detection resolved options of the detector
void set_tracking_scores(double sure_score, DetectorOptions& detection, TrackerOptions& tracker);

/// "flow" or "detections".
std::string to_string(FollowMode mode);

/// "grid" or "landmarks".
std::string to_string(FollowedPoints points);

/// Describes the fields, with their ranges and flags: see FieldVisitor.
void describe(FieldVisitor& visitor, TrackConfig& config);

}  // namespace fovea
