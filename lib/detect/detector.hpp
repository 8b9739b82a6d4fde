#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kernels/core/image_batch.hpp"
#include "kernels/engine/engine.hpp"
#include "lib/core/types.hpp"
#include "lib/detect/detector_options.hpp"
#include "lib/device/detection_device.hpp"

namespace fovea {

class Landmarker;
struct LandmarkStage;

/// A loaded detector: a cascade and the engine that evaluates it. Each kind of cascade says what its windows
/// mean. Immutable after construction, so one object serves any number of threads.
class Detector {
  public:
    virtual ~Detector() = default;

    /// Detects in a batch of images, and with landmarks finds those of every detection as add_landmarks()
    /// does.
    ///
    /// \param images in host memory, or in that of the detector's one GPU.
    /// \param landmarks null = none; where the images are on a GPU, its model is on that GPU as well.
    /// \return one list per image, sorted by score (falling), then y, x, w, h (rising): equal for every batch
    ///         size, thread count and backend.
    /// \throws std::bad_alloc or std::length_error if an image cannot be scanned; std::logic_error if the
    /// images are on a
    ///         GPU and the detector or the landmark model is not; UsageError as resolve_options, and for a
    ///         border about images on a GPU; DeviceError if a GPU fails.
    std::vector<std::vector<Detection>> detect(const ImageBatch& images, const DetectorOptions& options,
                                               const LandmarkStage* landmarks = nullptr) const;

    /// The meaning of options to it.
    virtual DetectorTraits traits() const { return {}; }
    /// One line for people: kind, window, stages, weak classifiers.
    virtual std::string description() const = 0;
    /// The detector's own window, pixels.
    virtual Size window() const = 0;
    /// Weak classifiers of each stage, as traces count them: of an MCT cascade every look-up is one.
    virtual std::vector<int> weak_classifiers_by_stage() const = 0;

    CascadeEngine& engine() const { return *engine_; }
    /// Where it computes: "cpu", "cuda:0" or "cuda:0,1".
    std::string device_name() const { return engine_->device_name(); }

    /// The engine's request with these options. \throws UsageError as resolve_options.
    CascadeScan scan_of(const DetectorOptions& options) const;
    /// Detections, sorted as those of detect(), from what the engine found in an image of this size; without
    /// the landmarks that it may have found. \throws UsageError as resolve_options.
    std::vector<Detection> detections_of(const CascadeResult& findings, Size image,
                                         const DetectorOptions& options) const;

    /// A detector with a copy of the model that computes on one GPU. \throws what make_cuda_engine throws.
    virtual std::unique_ptr<Detector> copy_for_gpu(int gpu, const EngineOptions& variant = {}) const = 0;
    /// Makes engines for the detector's cascade; the detector must outlive them.
    virtual std::unique_ptr<CascadeEngine> make_cpu() const = 0;
    /// \throws what make_cuda_engine throws.
    virtual std::unique_ptr<CascadeEngine> make_cuda(std::span<const int> gpus,
                                                     const EngineOptions& variant = {}) const = 0;

  protected:
    /// To be called once, by the constructor of each kind.
    void set_engine(std::unique_ptr<CascadeEngine> engine) { engine_ = std::move(engine); }

    /// The face that a detection reports of a window, or of a group's mean window.
    virtual WindowFace window_face() const { return {}; }
    /// \param windows how many, with `sum` as their score: a window's last sum, or a group's
    /// RectGroup::score.
    virtual double score_of(ScoreKind kind, int windows, double sum) const;
    /// Called with the detections of an image's groups once all are there and weak ones are dropped.
    virtual void finish_groups(std::vector<Detection>&) const {}

  private:
    /// \param border of the scanned image, which the window's place includes.
    Box box_of(Rect window, int border) const;
    // These take resolved options; their results are neither sorted nor dropped by score.
    std::vector<Detection> from_windows(const std::vector<CascadeWindow>& windows, Size image,
                                        const DetectorOptions& options) const;
    std::vector<Detection> from_groups(const CascadeResult& findings, Size image,
                                       const DetectorOptions& options, const Landmarker* landmarker) const;
    // As detections_of, of resolved options. A landmarker reads the landmarks that the engine found.
    std::vector<Detection> resolved_detections(const CascadeResult& findings, Size image,
                                               const DetectorOptions& options,
                                               const Landmarker* landmarker) const;

    std::unique_ptr<CascadeEngine> engine_;
};

/// Loads a detector from a model file (Haar and LBP cascades in XML, MCT cascades in JSON; the kind is
/// recognised by content) for a device.
/// \throws Error if the file is broken: file, where, what was expected; UsageError naming the model if GPUs
/// cannot run it, except on a device that the program chose, where a warning is logged and the CPU taken;
/// DeviceError if a GPU is not there or fails.
std::unique_ptr<Detector> load_detector(const std::filesystem::path& model, const DetectionDevice& device);

}  // namespace fovea
