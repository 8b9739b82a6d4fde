#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernels/cascade/engine.hpp"
#include "kernels/view.hpp"
#include "lib/core/types.hpp"
#include "lib/detect/detection_device.hpp"

namespace fovea {

/// What of a group of windows becomes the detection's score.
enum class ScoreKind {
    neighbors,  ///< number of windows grouped (OpenCV's neighbour count)
    stage_sum,  ///< largest sum of the last stage in the group (OpenCV's levelWeights)
};

/// Parameters of a cascade scan; names, defaults and meaning are those of
/// cv::CascadeClassifier::detectMultiScale.
struct DetectorOptions {
    double scale_factor = 1.1;  ///< > 1
    int min_neighbors =
        3;                ///< keep groups of more than this many windows; 0 = windows as they are, ungrouped
    Size min_size{0, 0};  ///< smallest window, pixels
    Size max_size{0, 0};  ///< largest window, pixels; 0 = the image
    ScoreKind score = ScoreKind::neighbors;
    bool raw = false;  ///< every window that passed, ungrouped, with its last stage sum, also as its score

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

    /// One line for people: kind, window, stages, weak classifiers.
    virtual std::string description() const = 0;
    /// The detector's own window, pixels.
    virtual Size window() const = 0;
    /// Where it computes: "cpu", "cuda:0" or "cuda:0,1".
    virtual std::string device_name() const { return "cpu"; }
    /// What its engine has done so far; zeros if it counts nothing.
    virtual EngineCounters counters() const { return {}; }
};

/// Finds a model: a path as given, else a name of one that ships with the program or with Debian's
/// opencv-data. \throws UsageError naming the places that were searched.
std::filesystem::path find_model(const std::string& model);

/// Loads a detector from a model file (kind recognised by content) for a device.
/// \throws Error if the file is broken: file, where, what was expected; UsageError naming the model if GPUs
/// cannot run it, except on a device that the program chose, where a warning is logged and the CPU taken;
/// DeviceError if a GPU is not there or fails.
std::unique_ptr<Detector> load_detector(const std::filesystem::path& model, const DetectionDevice& device);

}  // namespace fovea
