#pragma once

namespace fovea {

/// The points that a face is followed by.
enum class FollowedPoints {
    grid,       ///< a grid over the middle of its box
    landmarks,  ///< its landmarks, found in each frame anew
};

/// The way from one detection to the next.
enum class FollowMode {
    flow,        ///< optical flow moves the boxes
    detections,  ///< boxes are joined from detection to detection, and none is between them
};

/// The rules by which faces are followed from frame to frame.
struct TrackerOptions {
    FollowMode mode = FollowMode::flow;
    /// Frames from one run of a detector to the next, at least 1; see DetectorRhythm.
    int redetect = 10;
    /// The most frames that a face is followed back from a detection. A frame becomes final
    /// look_back + (min_detections - 1) · redetect frames later; 0: frames are final at once.
    int look_back = 60;

    // Detections and tracks are joined by their overlap, in two rounds.
    double min_score = 0.5;             ///< of a detection that begins a track
    double min_weak_score = 0.1;        ///< of a detection that goes on with one
    double min_overlap = 0.2;           ///< IoU of a detection and the track's expected box
    double min_weak_overlap = 0.5;      ///< IoU of a weak detection and the track's expected box
    double min_regained_overlap = 0.1;  ///< IoU of a detection and the last box of a lost track
    /// BoxMotion::distance of a strong detection that overlaps no track, from a track without a detection.
    double max_motion_distance = 2;
    double max_lone_distance = 4;  ///< the same where neither has another choice

    /// Frames in which the detector looks for a face that flow has lost, or that it did not find itself.
    int max_search = 10;
    int max_bridged = 10;          ///< frames without a place between two places of a track that are filled
    int steady_frames = 7;         ///< see steady_box()
    double max_size_change = 1.1;  ///< see steady_box()

    int min_detections = 2;  ///< of at least min_score, of a track that counts
    /// Frames without a detection of at least min_score after which a track is lost; at least 2 · redetect,
    /// to which it is raised.
    int max_followed = 40;
    int max_lost = 60;  ///< frames after which a lost track ends

    // Following by optical flow.
    FollowedPoints points = FollowedPoints::landmarks;  ///< without a landmark model: grid
    int grid = 10;                                      ///< points in each direction
    int flow_window = 21;                               ///< pixels, square
    int flow_levels = 4;                                ///< of the pyramid, the image included
    /// The most iterations on each level; more gain nothing (tests/bench/RESULTS.md, Tracks).
    int flow_iterations = 7;
    double flow_epsilon = 0.01;  ///< pixels; a smaller step ends the iteration
    /// FollowedPoint::return_error in widths of the box; half a pixel is always allowed, here and
    /// in max_residual.
    double max_return_error = 0.02;
    /// Distance of a point from where the similarity moves it, in medians of all these distances.
    double max_residual = 2.5;
    double min_votes = 0.4;        ///< share of the points that must agree on a movement
    double min_sure_votes = 0.7;   ///< share of the points below which a detection must confirm the face
    double max_scale_step = 1.25;  ///< growth or shrinkage from frame to frame

    friend bool operator==(const TrackerOptions&, const TrackerOptions&) = default;
};

}  // namespace fovea
