#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lib/core/types.hpp"
#include "lib/evaluate/detection/box_calibration.hpp"
#include "tests/lab/tracks/tracked_clip.hpp"

namespace fovea {

/// Share of a face that is visible, from which on it must be found.
constexpr double min_visible = 0.5;
/// IoU from which on a face is found.
constexpr double min_found_iou = 0.5;

/// A true face in one frame, and the box that found it.
struct JudgedFace {
    std::size_t clip = 0;
    std::size_t frame = 0;
    int face = 0;         ///< its number in the clip
    bool is_hit = false;  ///< a box lies on it, with an IoU above 0.2
    double iou = 0;       ///< with that box, in the truth's convention of boxes
    double nme = 0;       ///< mean distance of the landmarks over that of the outer eye corners
    int track = 0;        ///< number of the track
    int followed = 0;     ///< frames from the detection that it follows from; 0: detected

    bool is_found() const { return is_hit && iou >= min_found_iou; }
};

/// All true faces that are visible enough, in the order of clips, frames and faces: runs over equal clips
/// have equal faces.
struct JudgedRun {
    std::vector<JudgedFace> faces;
    std::size_t frames = 0;
    std::size_t false_boxes = 0;  ///< that lie on no face
};

/// Adds the faces of a clip. \param boxes of the tracks in the truth's convention.
void judge_clip(const Clip& clip, std::size_t number, const FoundFaces& found, const BoxOffsets& boxes,
                JudgedRun& run);

/// How the truth's boxes lie in the detector's: means over the detections of all clips, each with the face
/// that it overlaps by an IoU above 0.3. \throws Error if no face was detected.
BoxOffsets learned_offsets(std::span<const Clip> clips);
Box in_convention(const Box& box, const BoxOffsets& offsets);

/// Numbers of a run.
struct TrackAccuracy {
    std::size_t faces = 0;  ///< face-frames that count
    double found = 0;       ///< share of them with an IoU of at least 0.5
    double iou = 0;         ///< mean over the boxes that hit
    double nme = 0;         ///< mean over the faces that hit
    double median_nme = 0;
    std::optional<double> nme_ratio;  ///< to detection in every frame, over the faces that both hit
    double false_boxes = 0;           ///< per frame
    double tracks_per_face = 0;       ///< mean number of tracks that found a face; 1 is right
    std::size_t switches = 0;         ///< a face is found by another track than before
};

/// \param every_frame of the same clips; null: no ratio.
TrackAccuracy accuracy_of(const JudgedRun& run, const JudgedRun* every_frame);

/// The faces that were followed for so many frames.
struct DriftPoint {
    int followed = 0;
    std::size_t faces = 0;
    double iou = 0;
    double nme = 0;
    double nme_of_every_frame = 0;  ///< of detection in every frame, over the same faces
};

/// The points go by frames since the detection. Faces that detection in every frame did not hit are left out.
std::vector<DriftPoint> drift_of(const JudgedRun& run, const JudgedRun& every_frame);

}  // namespace fovea
