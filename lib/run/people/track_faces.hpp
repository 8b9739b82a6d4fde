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

/// The best faces of tracks, each of which stands for its whole track.
class TrackFaces {
  public:
    /// None.
    TrackFaces() = default;
    /// Reads tracks.jsonl of `fovea track`. \throws Error naming file and line if a line is broken.
    explicit TrackFaces(const std::filesystem::path& tracks);

    /// The number of tracks that have a best face.
    std::size_t size() const { return size_; }
    /// True if the best face of a track is in an image.
    bool has(const std::string& image) const { return faces_.contains(image); }
    /// Leaves the detections that are best faces in the result of a frame, and sets their tracks. A track's
    /// is the one that overlaps its best face the most, and by half at least; no detection is of two tracks.
    /// Results of photographs stay as they are. \return as ChooseFaces.
    std::vector<std::uint32_t> choose(ImageResult& result) const;

  private:
    struct Face {
        int track = 0;
        Box box;
    };

    std::unordered_map<std::string, std::vector<Face>> faces_;  // by image
    std::size_t size_ = 0;
};

}  // namespace fovea
