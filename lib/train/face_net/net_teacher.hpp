#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "kernels/face_net/gpu_face_net.hpp"
#include "kernels/face_net/run_face_net.hpp"
#include "kernels/net_training/face_loss_body.hpp"
#include "lib/device/detection_device.hpp"

namespace fovea {

class FieldVisitor;

/// A trained network that another one learns from (distillation: G. Hinton, O. Vinyals, J. Dean, 2015).
struct NetTeacherSettings {
    std::string model;  ///< a face network: a file, or a name for find_model(); empty: nobody teaches
    /// Share of the teacher's score in what a cell learns. A cell of which nothing else is known learns the
    /// score alone.
    double share = 0.5;
};

/// The fields, with their ranges: see FieldVisitor.
void describe(FieldVisitor& visitor, NetTeacherSettings& teacher);

/// A crop, and what its cells learn.
struct TaughtCrop {
    const float* pixels;            ///< as in draw_crop()
    std::span<CellTarget> targets;  ///< [head][cell]
};

/// A teacher that has been read.
class NetTeacher {
  public:
    /// \param device where the teacher's network runs: on the CPU or the first GPU. The scores are the same.
    /// \throws UsageError if there is no such model; Error if it is broken or no face network; DeviceError
    NetTeacher(const NetTeacherSettings& settings, const DetectionDevice& device);

    /// Gives the cells of crops the teacher's score; below 0.001 it counts as 0. One call at a time.
    /// \param side of the crops, a multiple of 32 pixels.
    /// \throws std::invalid_argument for a crop with fewer targets than cells; DeviceError
    void teach(std::span<const TaughtCrop> crops, std::size_t side);

  private:
    std::optional<FaceNetRunner> runner_;  // on the CPU
    std::unique_ptr<GpuFaceNet> on_gpu_;
    float share_;
};

}  // namespace fovea
