#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "lib/run/track/track_summary.hpp"

namespace fovea {

/// A sequence on the page.
struct ShownSequence {
    std::string name;
    std::size_t frames = 0;
    std::vector<TrackSummary> tracks;
    std::size_t tracks_left_out = 0;  ///< behind these, which need not be there
    /// Times of its first and last frame; both 0 where frames have none.
    double first_seconds = 0;
    double last_seconds = 0;

    std::size_t all_tracks() const { return tracks.size() + tracks_left_out; }
};

/// In all sequences together: more tracks make the page too large for a browser. They are all in
/// tracks.jsonl.
inline constexpr std::size_t max_shown_tracks = 500;

/// The page of a job: for each sequence a timeline of its tracks, with a strip of faces for each, and a
/// table. One file without any reference to the outside. \param title of the page, plain text.
std::string track_job_page(const std::string& title, const std::vector<ShownSequence>& sequences);

}  // namespace fovea
