#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "lib/job/detection_job.hpp"
#include "tests/lab/tracks/clip_plan.hpp"
#include "tests/lab/tracks/cut_out.hpp"
#include "tests/lab/tracks/track_accuracy.hpp"

namespace fovea {

/// Which clips are drawn, and by which settings their faces are followed.
struct StudyPlan {
    ClipPlan clip;      ///< the usual clip; all others differ in what they are named by
    int clips = 4;      ///< of each kind, with other faces and paths
    int redetect = 10;  ///< where this is not what is studied
    std::vector<int> redetects{2, 5, 10, 20, 50};
    std::vector<double> speeds{0.01, 0.03, 0.06, 0.1, 0.2};  ///< face widths a frame
    std::vector<ClipPlan> conditions{};                      ///< clips that are hard in one way each
    std::vector<int> windows{11, 15, 21, 31};
    std::vector<int> levels{1, 2, 3, 4};
    std::vector<int> iterations{5, 10, 30};
    double flow_speed = 0.1;  ///< of the clips for windows, levels and iterations
};

/// A study of some minutes, or of some seconds. Clips of both have two faces.
StudyPlan full_study();
StudyPlan quick_study();

/// The clips of a kind are made from its plan: theirs is another seed.
std::vector<ClipPlan> clips_of(const StudyPlan& plan, const ClipPlan& kind);

/// A setting and how well faces were followed by it.
struct StudyRow {
    std::string part;      ///< "redetect", "condition", "speed", "points", "window", "levels", "iterations"
    std::string setting;   ///< "10", "bar", "0.03", "grid"
    bool is_live = false;  ///< results at once; else late, as look_back has it by default
    int redetect = 1;      ///< 1: detection in every frame, without following
    TrackAccuracy accuracy;
};

/// Faces by the frames since their detection.
struct DriftCurve {
    int redetect = 0;
    std::vector<DriftPoint> points;
};

struct TrackStudy {
    BoxOffsets calibration;
    std::vector<StudyRow> rows;
    std::vector<DriftCurve> drift;  ///< live
    bool interrupted = false;

    /// Nothing if there is no such row.
    const StudyRow* find(const std::string& part, const std::string& setting, bool is_live,
                         int redetect) const;
};

/// A clip as trackers see it, for example after it was encoded and decoded.
using ClipFilter = std::function<void(Clip& clip)>;

/// Draws the clips, follows their faces by all settings, and judges that by the truth. All on the CPU:
/// results are equal on every device. \param filter may be empty. \throws as learned_offsets, and what
/// `filter` throws.
TrackStudy run_track_study(const StudyPlan& plan, const CutOuts& cut_outs, const TrackerOptions& tracker,
                           const TrackMeans& means, const ClipFilter& filter, const JobHooks& hooks);

}  // namespace fovea
