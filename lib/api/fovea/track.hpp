#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include <fovea/detect.hpp>
#include <fovea/image.hpp>
#include <fovea/types.hpp>

namespace fovea::api {

/// How faces are followed. Names and defaults are those of `fovea track`.
struct TrackerOptions {
    /// Boxes follow the points of the landmark model; without one, those of a grid.
    DetectorOptions detector{.landmarks = "helen"};
    int redetect = 10;  ///< the detector runs in every so-many-th frame, at least 1
    /// Frames that a face is followed back from its first detection, and by which results are late; 0: none.
    int look_back = 60;
    bool use_flow = true;    ///< false: boxes are joined from detection to detection, and none is between
    int min_detections = 2;  ///< of a track that counts, at least 1
    /// Frames without a detection, after which a track is lost, at least 1; fewer than 2 · redetect
    /// mean that.
    int max_followed = 40;
    int max_lost = 60;  ///< frames after which a lost track ends
};

/// A frame whose faces are final.
struct TrackedFrame {
    std::size_t number = 0;  ///< from 0, as the frames were added
    Size size{};             ///< 0 × 0: it was not there
    /// Sorted by Detection::track, the number of a face, rising. A face that was followed says so.
    std::vector<Detection> faces{};
};

/// Follows the faces of one sequence of frames, on the CPU; its detector may run on a GPU. Equal to what
/// `fovea track` writes of the same frames. For one thread at a time. Source: C. Helf, "Real-Time Facial
/// Feature Detection on Mobile Graphics Processing Units", Universität Wien, 2018.
class Tracker {
  public:
    /// \throws as Detector; UsageError for a number out of range.
    explicit Tracker(const TrackerOptions& options = {});
    ~Tracker();
    Tracker(Tracker&&) noexcept;
    Tracker& operator=(Tracker&&) noexcept;

    /// The next frame; a copy of it is kept. A view without pixels is a frame that could not be read.
    /// \return frames that became final, in order; often none.
    /// \throws as Detector::detect; UsageError after finish().
    std::vector<TrackedFrame> add(const ImageView& frame);
    /// No frame follows. \return all that are left.
    std::vector<TrackedFrame> finish();

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace fovea::api
