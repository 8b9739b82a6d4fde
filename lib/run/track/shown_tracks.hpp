#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lib/run/track/track_summary.hpp"

namespace fovea {

/// The tracks as the page shows them, at most max_shown_tracks: a line of JSON, then the bytes of the faces'
/// JPEG files, one after the other.
std::string shown_tracks_bytes(const std::vector<TrackSummary>& tracks);

/// Reads the tracks, with what the page shows of them alone. \param origin the file, for messages.
/// \throws Error if it is not what shown_tracks_bytes() made.
std::vector<TrackSummary> read_shown_tracks(std::string_view bytes, const std::string& origin);

}  // namespace fovea
