#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include <fovea/detect.hpp>
#include <fovea/image.hpp>
#include <fovea/types.hpp>

namespace fovea::api {

/// How faces are followed. Names and defaults are as for `fovea track`.
struct TrackerOptions {
    /// Boxes follow the points of the landmark model; without one, the points of a grid.
    DetectorOptions detector{.landmarks = "helen"};
    int redetect = 10;  ///< the detector runs in every so-many-th frame, at least 1
    /// The frames that a face is followed back from its first detection, and by which results are late.
    int look_back = 60;
    bool use_flow = true;    ///< false: detections are joined to tracks, without boxes between them
    int min_detections = 2;  ///< the least detections of a track that counts, at least 1
    /// The frames without a detection after which a track is lost, at least 1; 2 · redetect if it is less.
    int max_followed = 40;
    int max_lost = 60;  ///< frames after which a lost track ends
};

/// A frame whose faces are final.
struct TrackedFrame {
    std::size_t number = 0;  ///< from 0, in the order of add()
    Size size{};             ///< 0 × 0: the frame could not be read
    /// Sorted by Detection::track, rising; Detection::followed tells faces that were followed.
    std::vector<Detection> faces{};
};

/// Follows the faces of one sequence of frames on the CPU; its detector may run on a GPU. It gives what
/// `fovea track` writes for the same frames. One thread at a time may use it. Source: C. Helf, "Real-Time
/// Facial Feature Detection on Mobile Graphics Processing Units", Universität Wien, 2018.
class Tracker {
  public:
    /// \throws as Detector; UsageError for a number out of range.
    explicit Tracker(const TrackerOptions& options = {});
    ~Tracker();
    Tracker(Tracker&&) noexcept;
    Tracker& operator=(Tracker&&) noexcept;

    /// Adds the next frame, and keeps a copy. A view without pixels is a frame that could not be read.
    /// \return the frames that became final, in order; often none. \throws as Detector::detect(); UsageError
    /// after finish().
    std::vector<TrackedFrame> add(const ImageView& frame);
    /// Ends the sequence. \return all frames that are left.
    std::vector<TrackedFrame> finish();

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace fovea::api
