#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kernels/core/image_batch.hpp"
#include "kernels/landmark/find_landmarks.hpp"
#include "kernels/landmark/gpu_landmarks.hpp"
#include "lib/core/types.hpp"
#include "lib/device/detection_device.hpp"

namespace fovea {

/// A landmark model on a device. Immutable after construction, so one object serves any number of threads.
class Landmarker {
  public:
    /// \param name for messages, legends and manifests: the model's file name without extension.
    /// \throws std::invalid_argument as check_landmark_model; DeviceError if a GPU is not there or fails.
    Landmarker(LandmarkModel model, const DetectionDevice& device, std::string name);
    ~Landmarker();
    Landmarker(const Landmarker&) = delete;
    Landmarker& operator=(const Landmarker&) = delete;

    const LandmarkModel& model() const { return model_; }
    const LandmarkTables& tables() const { return tables_; }
    const std::string& name() const { return name_; }
    /// "cpu", "cuda:0" or "cuda:0,1".
    std::string device_name() const { return device_.name(); }
    /// For people: "68 points, 15 cascades of 500 trees, depth 4".
    std::string description() const;

    /// The landmarks of faces, image pixels, in the order of `faces`: equal in every bit on every device.
    /// \param images in host memory, or in the memory of one of the device's GPUs.
    /// \param faces boxes as the model itself wants them: see model_edges().
    /// \throws std::logic_error if the images are on a GPU and the model is not; DeviceError; std::bad_alloc.
    std::vector<std::vector<Point>> find(const ImageBatch& images, std::span<const LandmarkTask> faces) const;

    /// The model on each GPU of the device; none on the CPU.
    std::vector<cuda_backend::GpuLandmarks*> gpu_models() const;

    /// Positions in units of 1 / subpixels, as the kernels give them, as points in pixels.
    std::vector<Point> points_of(const std::int32_t* positions) const;

  private:
    cuda_backend::GpuLandmarks& model_on(int gpu) const;
    std::vector<std::vector<Point>> points_of_all(const std::vector<std::int32_t>& positions) const;

    LandmarkModel model_;
    LandmarkTables tables_;
    DetectionDevice device_;
    std::string name_;
    std::vector<std::unique_ptr<cuda_backend::GpuLandmarks>> gpus_;
};

}  // namespace fovea
