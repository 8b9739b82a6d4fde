#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernels/core/view.hpp"
#include "kernels/engine/engine.hpp"
#include "lib/core/types.hpp"
#include "lib/device/detection_device.hpp"

namespace fovea {

/// What of a group of windows becomes the detection's score.
enum class ScoreKind {
    automatic,  ///< the detector's own
    neighbors,  ///< number of windows grouped (OpenCV's neighbour count)
    stage_sum,  ///< Haar, LBP: largest sum of the last stage in the group (OpenCV's levelWeights); MCT: sum of
                ///< the windows' margins
    confidence,  ///< MCT: probability of a face, 0 to 1
};

/// Parameters of a cascade scan; names and meaning are those of cv::CascadeClassifier::detectMultiScale where it
/// has them. What is empty, or automatic, is the detector's own: see resolve_options.
struct DetectorOptions {
    std::optional<double> scale_factor{};  ///< > 1
    /// Groups of more than this many windows are kept; 0 = windows as they are, ungrouped.
    std::optional<int> min_neighbors{};
    Size min_size{0, 0};  ///< smallest window, pixels
    Size max_size{0, 0};  ///< largest window, pixels; 0 = the image
    ScoreKind score = ScoreKind::automatic;
    bool raw = false;  ///< every window that passed, ungrouped, with its last stage sum, also as its score
    double start_scale = 1;             ///< of the smallest window, MCT cascades only
    int step = 1;                       ///< between windows, pixels of a level, MCT cascades only
    std::optional<double> min_score{};  ///< detections of a lower score are dropped; empty = none

    friend bool operator==(const DetectorOptions&, const DetectorOptions&) = default;
};

/// An option that no scan can work with: its name as in a configuration, and what it must be.
struct OptionProblem {
    std::string option;
    std::string expected;  ///< e.g. "at least 0, but is -1"
};

/// The first option out of its range, or nothing.
std::optional<OptionProblem> find_option_problem(const DetectorOptions& options);

/// \throws UsageError naming the option and its range if find_option_problem finds one.
void check_options(const DetectorOptions& options);

/// What options mean to a kind of detector.
struct DetectorTraits {
    std::string kind = "Haar and LBP cascades";  ///< for messages
    double scale_factor = 1.1;                   ///< its own, as those below
    int min_neighbors = 3;
    ScoreKind score = ScoreKind::neighbors;
    bool free_grid = false;       ///< start_scale and step may be other than 1
    bool has_confidence = false;  ///< ScoreKind::confidence
    bool in_opencv = true;        ///< OpenCV has such a detector to compare with
};

/// The options with everything that they leave to the detector filled in; those that are resolved stay as they
/// are. \param min_confidence the min_score of detections whose score is a confidence, where none is given.
/// \throws UsageError as check_options, and for what the kind of detector does not have.
DetectorOptions resolve_options(const DetectorOptions& options, const DetectorTraits& traits,
                                double min_confidence = 0);

class EngineDetector;
struct LandmarkStage;

/// A loaded detector. Immutable after construction, so one object serves any number of threads.
class Detector {
  public:
    virtual ~Detector() = default;

    /// Detects in a batch of images of any sizes.
    ///
    /// \param images 8-bit grey, host memory.
    /// \return one list per image, sorted by score (falling), then y, x, w, h (rising): equal for every batch
    ///         size, thread count and backend.
    /// \throws std::bad_alloc or std::length_error if an image cannot be scanned; DeviceError if a GPU fails.
    virtual std::vector<std::vector<Detection>> detect(std::span<const ImageView<const std::uint8_t>> images,
                                                       const DetectorOptions& options) const = 0;

    /// detect(), and the landmarks of what is found, as add_landmarks() finds them.
    /// Errors as both.
    virtual std::vector<std::vector<Detection>> detect_with_landmarks(
        std::span<const ImageView<const std::uint8_t>> images, const DetectorOptions& options,
        const LandmarkStage& landmarks) const;

    /// detect(), or with landmarks detect_with_landmarks(), of images that lie in the memory of the detector's one GPU:
    /// equal in every bit. Nothing may be pending that writes them, and they stay as they are until the call returns.
    /// \param landmarks null = none; else its model is on that GPU as well.
    /// \throws std::logic_error if the detector or the model is not on the GPU, as detectors are not by default; else as
    ///         the two.
    virtual std::vector<std::vector<Detection>> detect_resident(
        std::span<const ImageView<const std::uint8_t>> images, const DetectorOptions& options,
        const LandmarkStage* landmarks) const;

    /// What options mean to it.
    virtual DetectorTraits traits() const { return {}; }

    /// One line for people: kind, window, stages, weak classifiers.
    virtual std::string description() const = 0;
    /// The detector's own window, pixels.
    virtual Size window() const = 0;
    /// Where it computes: "cpu", "cuda:0" or "cuda:0,1".
    virtual std::string device_name() const { return "cpu"; }
    /// What its engine has done so far; zeros if it counts nothing.
    virtual EngineCounters counters() const { return {}; }
    /// Itself if it computes with a CascadeEngine, else null.
    virtual const EngineDetector* engine_detector() const { return nullptr; }
};

/// Loads a detector from a model file (Haar and LBP cascades in XML, MCT cascades in JSON; the kind is recognised
/// by content) for a device.
/// \throws Error if the file is broken: file, where, what was expected; UsageError naming the model if GPUs
/// cannot run it, except on a device that the program chose, where a warning is logged and the CPU taken;
/// DeviceError if a GPU is not there or fails.
std::unique_ptr<Detector> load_detector(const std::filesystem::path& model, const DetectionDevice& device);

}  // namespace fovea
