#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernels/view.hpp"
#include "lib/core/types.hpp"

namespace fovea {

class Device;

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
    virtual std::vector<std::vector<Detection>> detect(std::span<const ImageView<const std::uint8_t>> images,
                                                       const DetectorOptions& options) const = 0;

    /// One line for people: kind, window, stages, weak classifiers.
    virtual std::string description() const = 0;
    /// The detector's own window, pixels.
    virtual Size window() const = 0;
};

/// Finds a model: a path as given, else a name of one that ships with the program or with Debian's
/// opencv-data. \throws UsageError naming the places that were searched.
std::filesystem::path find_model(const std::string& model);

/// \param device as the user names it. \throws UsageError if it is a GPU: detectors run on the CPU, and what
/// was asked for is never silently done elsewhere.
void require_detection_device(const std::string& device, bool is_cuda);

/// Loads a detector from a model file (kind recognised by content) for a device.
/// \throws UsageError as require_detection_device; Error if the file is broken: file, where, what was
/// expected.
std::unique_ptr<Detector> load_detector(const std::filesystem::path& model, const Device& device);

}  // namespace fovea
