#pragma once

#include <span>

#include "lib/evaluate/tracks/track_video.hpp"

namespace fovea {

/// The numbers of motmetrics 1.4.0 (Python), which follows the CLEAR paper where TrackEval does not: a true
/// track keeps its result as long as they overlap enough, also after a gap. For the others, as many pairs as
/// possible are made, with the least sum of distances (1 - IoU).
struct MotmetricsNumbers {
    double objects = 0, predictions = 0, unique_objects = 0;
    double matches = 0, switches = 0, misses = 0, false_positives = 0;
    double transfers = 0;  ///< a result's track goes to another true one
    double ascends = 0;    ///< switches to a track that is new
    double migrates = 0;   ///< transfers to a true track that is new
    double mostly_tracked = 0, partly_tracked = 0, mostly_lost = 0;
    double fragments = 0;     ///< interruptions between the first and the last frame that is found
    double distance_sum = 0;  ///< of matches and switches, in the order of motmetrics' table
    double idtp = 0, idfn = 0, idfp = 0;
    // These follow from those above; not a number where motmetrics divides by 0:
    double mota = 0, motp = 0, recall = 0, precision = 0, idf1 = 0, idr = 0, idp = 0;
};

/// Evaluates a video as motmetrics does. \param threshold the least IoU of a pair: motmetrics' distth is 1
/// - threshold.
MotmetricsNumbers evaluate_motmetrics(const PreparedVideo& video, double threshold);

/// Joins several videos, as motmetrics' "OVERALL" does.
MotmetricsNumbers combine(std::span<const MotmetricsNumbers> videos);

}  // namespace fovea
