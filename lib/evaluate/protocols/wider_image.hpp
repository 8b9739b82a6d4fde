#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "lib/evaluate/detection/image_trace.hpp"
#include "lib/evaluate/protocols/protocol.hpp"

namespace fovea {

/// WIDER FACE's levels, in the order of its program; the last one is the main one.
constexpr std::array<std::string_view, 3> wider_levels{"easy", "medium", "hard"};

/// Which faces count: the faces of a level (attribute "easy", "medium" or "hard" = "yes"). If no face of the
/// set has such an attribute, all faces that are not marked ignore count.
bool has_wider_level(const Face& face);
bool counts_in_wider(const Face& face, bool has_levels, std::size_t level);

/// The effect of one detection in an image, at one level.
enum class WiderMatch : std::uint8_t {
    proposal,  ///< counts as detected, finds no face or one that is found already: a false positive
    match,     ///< counts as detected and finds a face
    ignored,   ///< meets a face that the level does not count
};

/// An image's detections in the order in which they are matched.
struct WiderStep {
    std::size_t detection = 0;  ///< index in the image's detections
    /// The largest threshold at which it is counted; never rises along the order.
    double score = 0;
    int face = -1;   ///< the face of largest overlap, if that is at least 0.5
    double iou = 0;  ///< that overlap, or the largest at all; in strict mode before it is rounded
    std::array<WiderMatch, 3> outcomes{};  ///< by level; only the first one if there are no levels
};

/// Matches an image's detections. Each takes the face of largest overlap, found already or not, the first
/// of equal ones; from an overlap of 0.5 on it finds the face or, if the level does not count that face,
/// is ignored.
///
/// strict: by falling score, equal ones in the results' order; corners are whole pixels that belong to the
/// box, and the overlap is rounded to a whole number, so that the first face with an overlap of 0.5 is taken
/// for the largest: the program's boxes are of int32. Images without faces count nothing. port: in the
/// results' order; at a threshold all detections count up to the last one in that order with at least that
/// score; overlaps with one pixel added to widths and heights; images without faces count nothing. corrected:
/// by falling score; real-valued overlaps; images without faces count their false positives. Boxes of no or
/// negative width or height are faces that count and, but for overlaps with one pixel added, are never found.
/// Sources: eval_tools of WIDER FACE, evaluation.m and boxoverlap.m; WiderFace-Evaluation, commit 53474e0,
/// image_eval() and img_pr_info(). Boxes and scores are finite.
std::vector<WiderStep> match_wider_image(const ProtocolImage& image, ProtocolMode mode, bool has_levels);

/// The image's trace at one level.
ImageTrace trace_wider_image(const ProtocolImage& image, std::size_t index,
                             const std::vector<WiderStep>& steps, std::size_t level);

}  // namespace fovea
