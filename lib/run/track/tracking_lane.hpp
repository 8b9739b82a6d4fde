#pragma once

#include <memory>
#include <optional>

#include "kernels/core/device.hpp"
#include "lib/core/threads.hpp"
#include "lib/detect/detector.hpp"
#include "lib/inputs/image_list.hpp"
#include "lib/job/stages/detect_images.hpp"
#include "lib/job/stages/frame_loader.hpp"
#include "lib/run/track/frame_pieces.hpp"
#include "lib/run/track/person_memory.hpp"
#include "lib/track/point_flow.hpp"

namespace fovea {

/// A device, with what one thread needs to follow sequences there.
class TrackingLane {
  public:
    /// All references must outlive this. \param gpu nothing: the CPU, with all of its threads. \param reading
    /// plan_reading() \throws DeviceError
    TrackingLane(const TrackerOptions& tracker, const Detector& detector, std::optional<int> gpu,
                 const DetectImagesOptions& reading, ThreadLimit& limit);

    const Device& device() const { return device_; }
    int gpu() const { return device_.is_cuda() ? device_.index() : ImageBatch::on_host; }
    ThreadLimit& limit() { return limit_; }
    const Detector& detector() const { return own_detector_ ? *own_detector_ : detector_; }
    /// Null if nothing is followed by flow.
    PointFlow* flow() const { return flow_.get(); }
    /// The flow for another thread; null on the CPU, where finding moves ahead gains nothing.
    PointFlow* flow_ahead() const { return flow_ahead_.get(); }
    /// The describer, which is made when it is first asked for.
    const FaceDescriber& describer(const RecogniserConfig& recogniser);

    /// The frames of a sequence, in the memory of the device. \param frames must outlive the result.
    /// \throws DeviceError
    std::unique_ptr<FramePieces> pieces_of(const ImageList& frames);

  private:
    PieceLimits piece_limits(std::size_t frames_held) const;
    FrameLoader& loader();

    const TrackerOptions& tracker_;
    const Detector& detector_;
    const DetectImagesOptions& reading_;
    ThreadLimit& limit_;
    Device device_;
    Device ahead_device_;                     // the same, with a stream for flow_ahead_
    std::unique_ptr<Detector> own_detector_;  // null: the job's serves
    std::unique_ptr<PointFlow> flow_;
    std::unique_ptr<PointFlow> flow_ahead_;
    std::optional<FaceDescriber> describer_;
    BusySeconds decoding_;                 // by the loader
    std::unique_ptr<FrameLoader> loader_;  // made for the first video that the GPU decodes
};

}  // namespace fovea
