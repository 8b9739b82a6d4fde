#pragma once

#include <cstdint>
#include <vector>

#include "lib/evaluate/protocols/protocol.hpp"
#include "lib/evaluate/statistics/resample.hpp"

namespace fovea {

/// How all detections of a detector are moved and scaled: centres move by shares of width and height, then
/// width and height are scaled.
struct BoxAdaptation {
    double shift_x = 0;
    double shift_y = 0;
    double scale_x = 1;
    double scale_y = 1;
};

/// A detection on its way through the rounds, by its corners.
struct MovedDetection {
    std::uint32_t image = 0;
    std::uint32_t index = 0;  ///< in the image's detections
    double score = 0;
    double left = 0;
    double top = 0;
    double right = 0;
    double bottom = 0;

    Box box() const { return {left, top, right - left, bottom - top}; }
};

/// The match of a detection in a round.
struct FaceEvalMatch {
    /// The face that it overlaps most, by more than 0.5; the last of equal ones; or -1.
    int face = -1;
    double overlap = 0;  ///< the largest
    DetectionMatch outcome = DetectionMatch::false_positive;
};

struct FaceEvalResult {
    std::vector<MovedDetection> detections;  ///< as the last round had them
    std::vector<FaceEvalMatch> matches;      ///< parallel to detections: those of the last round
    BoxAdaptation adaptation;                ///< of all rounds but the last
    double average_precision = 0;            ///< of the last round; NaN without faces
    double unmoved_average_precision = 0;    ///< of the first round
};

/// The detections that count, wider or higher than 21 pixels, by falling score; equal scores are in the order
/// of the results' file.
std::vector<MovedDetection> counted_detections(const std::vector<ProtocolImage>& images);

/// True for a face that is left out: marked ignore, or narrower or lower than 30 pixels.
bool is_left_out(const Face& face);

/// The evaluation of AFW and PASCAL faces, in five rounds. Each detection, by falling score, takes the face
/// of largest overlap (one pixel added to widths and heights), found already or not. If the overlap is above
/// 0.5, it finds the face, or is ignored if that face is left out. Then all detections are moved and scaled
/// by the mean difference between the detections that find a face and their faces. The average precision is
/// the area under the monotone precision envelope in the last round.
///
/// \param detections as counted_detections() gives them; \param weights how often each image counts.
/// Source: face-eval (M. Mathias, R. Benenson, M. Pedersoli, L. Van Gool: "Face detection without bells and
/// whistles", 2014), revision f2870fd, plot_AP.py and VOCpr.py.
FaceEvalResult evaluate_face_eval(const std::vector<ProtocolImage>& images,
                                  std::vector<MovedDetection> detections, Weights weights);

}  // namespace fovea
