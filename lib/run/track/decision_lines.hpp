#pragma once

#include <span>
#include <string>

#include "lib/results/results.hpp"
#include "lib/track/track_decision.hpp"

namespace fovea {

/// JSON lines, one for each decision. Each has the frame as results.jsonl has it, "face" (the number of the
/// track among all that have begun), "track" (its number, unless it never counts), "state" after the frame
/// (followed, lost or ended) and "why" it was lost, even if it was found in the same frame, or ended. Boxes
/// are [x, y, width, height] in pixels: "expected" by its motion; in "flow", with the share of points that
/// agree; in "detection", with what joined it: overlap or weak (with the IoU), motion or alone (with the
/// distance in standard deviations), way_back, or new. "detector" says why it ran: turn, search or cut.
std::string decision_lines(const ImageResult& frame, std::span<const TrackDecision> decisions);

}  // namespace fovea
