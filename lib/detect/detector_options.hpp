#pragma once

#include <optional>
#include <string>

#include "kernels/core/view.hpp"

namespace fovea {

/// The property of a group of windows that becomes the detection's score.
enum class ScoreKind {
    automatic,  ///< the detector's own
    neighbors,  ///< number of windows grouped (OpenCV's neighbour count)
    /// Haar, LBP: largest sum of the last stage in the group (OpenCV's levelWeights); MCT: sum of the
    /// windows' margins.
    stage_sum,
    confidence,  ///< MCT: probability of a face; YuNet: the network's own measure of it; 0 to 1
};

/// Parameters of a cascade scan; names and meaning are those of cv::CascadeClassifier::detectMultiScale where
/// it has them. Options that are empty or automatic take the detector's own values: see resolve_options. A
/// detector that is no cascade has min_size, max_size and min_score alone.
struct DetectorOptions {
    std::optional<double> scale_factor{};  ///< > 1
    /// Groups of more than this many windows are kept; 0 = windows as they are, ungrouped.
    std::optional<int> min_neighbors{};
    Size min_size{0, 0};  ///< smallest window, pixels
    Size max_size{0, 0};  ///< largest window, pixels; 0 = the image
    ScoreKind score = ScoreKind::automatic;
    /// Pixels that the image's outermost pixels are continued by on each side before it is scanned, so that
    /// objects that its border cuts off are found. Boxes are clipped to the image.
    int border = 0;
    /// Gives every window that passed, ungrouped, with its last stage sum, which is also its score.
    bool raw = false;
    double start_scale = 1;             ///< of the smallest window, MCT cascades only
    int step = 1;                       ///< between windows, pixels of a level, MCT cascades only
    std::optional<double> min_score{};  ///< detections of a lower score are dropped; empty = none

    friend bool operator==(const DetectorOptions&, const DetectorOptions&) = default;
};

constexpr int max_detector_border = 4096;

/// An option that no scan can work with: its name as in a configuration, and what it must be.
struct OptionProblem {
    std::string option;
    std::string expected;  ///< e.g. "at least 0, but is -1"
};

/// The first option out of its range, or nothing.
std::optional<OptionProblem> find_option_problem(const DetectorOptions& options);

/// \throws UsageError naming the option and its range if find_option_problem finds one.
void check_options(const DetectorOptions& options);

/// The meaning of options for a kind of detector.
struct DetectorTraits {
    std::string kind = "Haar and LBP cascades";  ///< for messages
    double scale_factor = 1.1;                   ///< the kind's own value, like the next two
    int min_neighbors = 3;
    ScoreKind score = ScoreKind::neighbors;
    bool free_grid = false;       ///< start_scale and step may be other than 1
    bool has_confidence = false;  ///< ScoreKind::confidence
    bool in_opencv = true;        ///< OpenCV has such a detector to compare with
    /// False: faces are found at once, without windows that are scanned and grouped. scale_factor and
    /// min_neighbors above mean nothing, and the options of scans are refused.
    bool is_cascade = true;
    /// Detections of a lower score are dropped where the options give no min_score.
    double min_score = 0;
};

/// Traits of networks that find faces at once: their score is a confidence, and OpenCV's cascades are
/// no rivals.
DetectorTraits network_traits(std::string kind, double min_score);

/// Fills in everything that the options leave to the detector. Resolved options stay as they are.
/// \param min_confidence the min_score where none is given and scores are confidences.
/// \throws UsageError as check_options, and for options that the kind of detector does not have.
DetectorOptions resolve_options(const DetectorOptions& options, const DetectorTraits& traits,
                                double min_confidence = 0);

}  // namespace fovea
