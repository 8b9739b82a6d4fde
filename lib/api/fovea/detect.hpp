#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <fovea/image.hpp>
#include <fovea/types.hpp>

namespace fovea::api {

/// How faces are found. Names and defaults are as for `fovea detect`.
struct DetectorOptions {
    /// A name ("wild", "mct", "haarcascade_frontalface_alt2") or a path: Haar and LBP cascades in XML, MCT
    /// cascades and face networks in JSON, YuNet in ONNX.
    std::string model = "wild";
    /// "cpu", "cuda", "cuda:N", "cuda:N,M" or "cuda:all"; "auto" takes a GPU if one works. Results are equal
    /// in every bit on all devices.
    std::string device = "auto";
    int threads = 0;  ///< on the CPU; 0: one for each core
    /// The landmark model, a name ("helen") or a path; empty: no landmarks.
    std::string landmarks{};
    /// Detections with a lower score are dropped; empty: below 0.5 if scores are confidences, else none.
    std::optional<double> min_score{};
    Size min_size{};  ///< of a face, pixels
    Size max_size{};  ///< of a face, pixels; 0 × 0: the image
    /// Only cascades: the ratio of neighbouring window sizes, above 1; empty: the model's own.
    std::optional<double> scale_factor{};
    /// Only cascades: groups of more windows than this are detections; empty: the model's own.
    std::optional<int> min_neighbors{};
    int border = 0;  ///< only cascades: pixels by which the image is continued on each side, 0 to 4096
};

/// A detector with its model in memory. It never changes, so any number of threads may use it at once.
class Detector {
  public:
    /// Loads the model. \throws UsageError for options out of range, a model that is not there or a named
    /// device that cannot be used; Error if a model's file is broken.
    explicit Detector(const DetectorOptions& options = {});
    ~Detector();
    Detector(Detector&&) noexcept;
    Detector& operator=(Detector&&) noexcept;

    /// The faces of an image by falling score; they do not depend on the device or the number of threads.
    /// \throws UsageError for an image without pixels; Error if it cannot be scanned or a GPU
    /// fails; std::bad_alloc
    std::vector<Detection> detect(const ImageView& image) const;

    /// The faces of several images, which may differ in size: for each image the list that detect() gives for
    /// it alone. GPUs are faster with batches of 8 or more.
    std::vector<std::vector<Detection>> detect(std::span<const ImageView> images) const;

    /// The file of its model.
    std::filesystem::path model_file() const;
    /// The device that it runs on: "cpu", "cuda:0" or "cuda:0,1".
    std::string device() const;
    /// One line for people: its kind, and its properties.
    std::string description() const;

  private:
    friend class Tracker;
    struct Loaded;
    std::unique_ptr<const Loaded> loaded_;
};

}  // namespace fovea::api
