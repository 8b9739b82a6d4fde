#pragma once

#include <cstddef>

#include "lib/core/types.hpp"
#include "lib/track/track.hpp"

namespace fovea {

/// The mean of two boxes, edge by edge. \param weight_of_second from 0 to 1.
Box mean_box(const Box& first, const Box& second, double weight_of_second);

/// Gives a track a place in each frame between its last detection and a new one: where it has none for at
/// most `max_frames` frames, the box moves evenly from one place to the next.
/// \param frame, box of the new detection, which the track does not have yet.
void bridge_gaps(Track& track, std::size_t frame, const Detection& detection, int max_frames);

/// The box of a track in a frame that it has a place in. If its size is not that of its neighbours in time,
/// it gets theirs, about the same centre: a detector takes a blurred face for a larger one.
/// \param reach the most frames to either side; as many are looked at before as behind. \param max_change
/// ratio of the size and the median of both sides' sizes up to which the box stays as it is; at least 1.
Box steady_box(const Track& track, std::size_t frame, int reach, double max_change);

}  // namespace fovea
