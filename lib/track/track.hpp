#pragma once

#include <cstddef>
#include <map>
#include <optional>

#include "lib/core/types.hpp"
#include "lib/track/box_motion.hpp"

namespace fovea {

/// The place of a face in a frame.
struct TrackPlace {
    Box box;
    double score = 0;  ///< of the detection or detections that it follows from, the lower one
    int followed = 0;  ///< frames to the nearer of them; 0: it is a detection
};

/// A face as it is followed.
struct Track {
    enum class State {
        followed,  ///< it has a place in the newest frame
        lost,      ///< it has none, and waits for a detection
        ended,
    };

    int face = 0;    ///< its number among all tracks that have begun, from 1
    int number = 0;  ///< from 1; 0: it does not count yet, because it has too few detections
    State state = State::followed;
    int sure_detections = 0;          ///< those of at least TrackerOptions::min_score
    std::size_t first_detection = 0;  ///< frame
    std::size_t last_detection = 0;   ///< frame
    std::size_t last_sure = 0;        ///< frame of the last sure detection
    double score = 0;                 ///< of that detection
    std::size_t last_frame = 0;       ///< in which it had a place
    /// The frame into which its points did not agree well, and that up to which the detector looks for it.
    std::optional<std::size_t> doubted_in{}, searched_until{};
    bool is_resized = false;  ///< frames have changed size behind its last detection
    bool is_carried = false;  ///< its motion is that against the picture; see BoxMotion::part_from_camera()
    Box last_box;  ///< in that frame, moved with the picture since; in pixels of the newest frame's size
    /// Up to its last place, and up to its last detection; nothing before the first one.
    std::optional<BoxMotion> motion{}, detected_motion{};
    /// Its places by frame, in the frames that are held.
    std::map<std::size_t, TrackPlace> places{};
    /// Its boxes in the latest frames that are final; see steady_box().
    std::map<std::size_t, Box> past_boxes{};

    bool counts() const { return number > 0; }
    bool is_lost() const { return state == State::lost; }

    /// Nothing where it has no place in the frame.
    const TrackPlace* place_in(std::size_t frame) const {
        const auto found = places.find(frame);
        return found == places.end() ? nullptr : &found->second;
    }
    void put(std::size_t frame, const TrackPlace& place) { places.insert_or_assign(frame, place); }
};

}  // namespace fovea
