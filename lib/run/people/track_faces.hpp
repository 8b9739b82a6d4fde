#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "lib/core/types.hpp"
#include "lib/results/results.hpp"

namespace fovea {

/// A track of a video by its best face.
struct TrackFace {
    int track = 0;
    Box box;               ///< of the best face
    std::string sequence;  ///< the video's name
    /// When the first frame and the last one are shown, in seconds of the video; nothing without times.
    std::optional<double> from, to;
    double seconds_on_screen = 0;
};

/// The best faces of tracks, each of which stands for its whole track.
class TrackFaces {
  public:
    /// None.
    TrackFaces() = default;
    /// Reads tracks.jsonl of `fovea track`. \throws Error naming file and line if a line is broken.
    explicit TrackFaces(const std::filesystem::path& tracks);

    /// The number of tracks that have a best face.
    std::size_t size() const { return size_; }
    /// The number of tracks whose best face is in an image.
    std::size_t count(const std::string& image) const;
    /// The track of this number whose best face is in the image; it must be there.
    const TrackFace& track(const std::string& image, int number) const;
    /// Leaves the detections that are best faces in the result of a frame, and sets their tracks. A track's
    /// is the one that overlaps its best face the most, and by half at least; no detection is of two tracks.
    /// Results of photographs stay as they are. \return as ChooseFaces.
    std::vector<std::uint32_t> choose(ImageResult& result) const;

  private:
    std::unordered_map<std::string, std::vector<TrackFace>> faces_;  // by image
    std::size_t size_ = 0;
};

/// When a track of people is on screen.
struct TrackTime {
    std::string image;  ///< that has the track's best face
    int track = 0;
    double from = 0;  ///< seconds of the video
    double to = 0;
};

/// Reads tracks.jsonl of `fovea people`; tracks without times are left out. \return nothing if the file is
/// not there. \throws Error naming file and line if a line is broken
std::vector<TrackTime> read_track_times(const std::filesystem::path& file);

}  // namespace fovea
