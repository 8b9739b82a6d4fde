#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kernels/core/device.hpp"
#include "kernels/core/image_batch.hpp"
#include "kernels/engine/engine.hpp"
#include "lib/core/types.hpp"
#include "lib/detect/detector_options.hpp"
#include "lib/device/detection_device.hpp"

namespace fovea {

class EngineDetector;
struct LandmarkStage;

/// A loaded detector. Immutable after construction, so one object serves any number of threads.
class Detector {
  public:
    virtual ~Detector() = default;

    /// Finds the faces of a batch of images and, given a landmark stage, their landmarks as
    /// add_landmarks() does.
    ///
    /// \param images in host memory (the detector's GPUs share the images), or in the memory of one of
    /// its GPUs.
    /// \param landmarks null = none. If the images are on a GPU, its model must be on that GPU as well.
    /// \return one list per image, sorted by score (falling), then y, x, w, h (rising): equal for every batch
    /// size, thread count and backend.
    /// \throws std::bad_alloc or std::length_error if an image cannot be scanned; std::logic_error if the
    /// images are on a GPU and the detector or the landmark model is not; UsageError as resolve_options, and
    /// for a border about images on a GPU; DeviceError if a GPU fails.
    std::vector<std::vector<Detection>> detect(const ImageBatch& images, const DetectorOptions& options,
                                               const LandmarkStage* landmarks = nullptr) const {
        return detect_resolved(images, resolve_options(options, traits()), landmarks);
    }

    /// The meaning of options for this detector.
    virtual DetectorTraits traits() const { return {}; }
    /// One line for people: its kind, and what tells it from others of that kind.
    virtual std::string description() const = 0;
    /// The smallest face that it is made for, pixels: a cascade's own window.
    virtual Size window() const = 0;
    /// The GPUs that it computes on; none on the CPU.
    virtual std::vector<int> gpus() const { return {}; }
    /// "cpu", "cuda:0" or "cuda:0,1".
    std::string device_name() const { return DetectionDevice{gpus()}.name(); }
    /// The counts of its work since its construction.
    virtual EngineCounters counters() const = 0;
    /// The detector as a cascade with its engine; null if it is another kind.
    virtual const EngineDetector* as_cascade() const { return nullptr; }
    /// A detector with a copy of the model that computes on GPUs; null if the kind runs on the CPU alone.
    /// \param variant Detectors that are no cascade heed EngineOptions::share alone.
    /// \throws DeviceError if a GPU is not there or fails; std::invalid_argument if it cannot run the model.
    virtual std::unique_ptr<Detector> copy_for_gpus(std::span<const int> /*gpus*/,
                                                    const EngineOptions& /*variant*/) const {
        return nullptr;
    }
    /// copy_for_gpus() on the GPU of a device, with the device's share of that GPU.
    std::unique_ptr<Detector> copy_for(const Device& gpu) const {
        const int index = gpu.index();
        return copy_for_gpus(std::span(&index, 1), {.share = gpu.share()});
    }

  private:
    // Does detect() with resolved options.
    virtual std::vector<std::vector<Detection>> detect_resolved(const ImageBatch& images,
                                                                const DetectorOptions& options,
                                                                const LandmarkStage* landmarks) const = 0;
};

/// Loads a detector from a model file for a device. detector_kinds() lists the kinds and how to tell their
/// files. If the program itself chose GPUs that cannot run the model, it logs a warning and takes the CPU.
/// \throws Error if the file is broken: file, where, what was expected; UsageError naming the model if the
/// user chose GPUs that cannot run it; DeviceError if a GPU is not there or fails.
std::unique_ptr<Detector> load_detector(const std::filesystem::path& model, const DetectionDevice& device);

}  // namespace fovea
