#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lib/image/formats/image.hpp"
#include "lib/json/json_fwd.hpp"
#include "lib/results/results.hpp"

namespace fovea {

/// A face of a track as a picture of the person.
struct BestFace {
    std::string image;  ///< the name of its frame
    std::optional<FrameTime> frame;
    Box box;
    double score = 0;
    double size = 0;  ///< square root of the box's area, pixels
    /// 1: the nose is in the middle of the eyes; towards 0 for profiles; 1 if unknown.
    double frontal = 0;
    double sharpness = 0;                   ///< see face_sharpness(); 0 if it was not measured
    double quality = 0;                     ///< 0 to 1: see quality_of_face()
    GreyImage crop;                         ///< aligned by the eyes; empty if these are unknown
    std::vector<std::uint16_t> features{};  ///< empty where none are wanted
};

/// Frames without a gap, by their places in the sequence.
struct FrameSpan {
    std::size_t first = 0;
    std::size_t last = 0;
    /// The time from the first frame to the end of the last, in seconds; places where frames have no times.
    double from = 0;
    double to = 0;
};

/// A face of a track at some time.
struct ShownFace {
    std::string image;
    std::optional<FrameTime> frame;
    std::string jpeg;  ///< its picture
    int width = 0;     ///< of the picture, pixels
    int height = 0;
};

/// Faces of a track, evenly over its detections: at most max_faces.
class FaceStrip {
  public:
    static constexpr std::size_t max_faces = 12;

    /// True if the next detection belongs into the strip. Call it once for each detection.
    bool wants_next() { return seen_++ % stride_ == 0; }
    void add(ShownFace face);
    const std::vector<ShownFace>& faces() const { return faces_; }

  private:
    std::vector<ShownFace> faces_;
    std::size_t seen_ = 0;
    std::size_t stride_ = 1;
};

/// A track from its first frame to its last.
struct TrackSummary {
    int track = 0;
    std::string sequence;
    std::string first_image, last_image;
    std::optional<FrameTime> first, last;
    std::size_t frames = 0;      ///< in which the face is
    std::size_t detections = 0;  ///< frames in which it was detected
    double seconds = 0;          ///< on screen; 0 where frames have no times
    double score_sum = 0;        ///< over the frames
    std::vector<FrameSpan> spans{};
    /// From a detection to one that the detector's next runs found, without a miss.
    std::vector<FrameSpan> detected{};
    std::optional<BestFace> best{};
    FaceStrip strip{};
    std::string crop{};  ///< file of the best face, relative to the results; empty: none
    std::string identity{};
    std::optional<double> distance{};  ///< to the nearest face of the gallery
};

/// How good a picture of a face is, from 0 to 1: the product of its score (at most 1), its frontal measure,
/// its size over 100 pixels (at most 1), and sharpness / (sharpness + 100).
double quality_of_face(const BestFace& face);

/// See BestFace::frontal. \param landmarks 68; for any other number the result is 1.
double frontal_measure(const std::vector<Point>& landmarks);

/// One line of tracks.jsonl, without the newline.
Json to_json(const TrackSummary& summary);

/// Gathers the tracks of one sequence from its results.
class TrackGatherer {
  public:
    /// \param redetect the detector runs in every such frame.
    explicit TrackGatherer(std::string sequence, std::size_t redetect = 1)
        : sequence_(std::move(sequence)), redetect_(redetect) {}

    /// Adds the next frame of the sequence.
    void add(const ImageResult& frame);
    /// The best face of a track so far; nullptr if there is none yet.
    const BestFace* best_of(int track) const;
    void set_best(int track, BestFace face);
    FaceStrip& strip_of(int track) { return tracks_[track].strip; }
    /// The tracks in the order of their numbers. Call it after the last frame.
    std::vector<TrackSummary> take();

  private:
    void show(double seconds);

    const std::string sequence_;
    const std::size_t redetect_;
    std::map<int, TrackSummary> tracks_;
    std::size_t frames_ = 0;
    std::vector<int> on_screen_;  // in the frame before
    std::optional<double> shown_since_;
    double last_duration_ = 0;
};

}  // namespace fovea
