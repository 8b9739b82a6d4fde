#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "kernels/core/view.hpp"
#include "kernels/optical_flow/flow.hpp"

namespace fovea {

/// The linked OpenCV's own calcOpticalFlowPyrLK on pyramids that it builds, as a rival for timing.
class OpenCvFlow {
  public:
    explicit OpenCvFlow(const FlowOptions& options);
    ~OpenCvFlow();
    OpenCvFlow(const OpenCvFlow&) = delete;
    OpenCvFlow& operator=(const OpenCvFlow&) = delete;

    /// Builds the pyramid of the next frame, with its gradients; the one before becomes the previous one.
    void add_frame(ImageView<const std::uint8_t> image);
    /// Follows points from the previous frame into the next one. \param points, moved, found of one length
    void follow(std::span<const FlowPoint> points, std::span<FlowPoint> moved, std::span<std::uint8_t> found);

  private:
    struct Pyramids;

    const FlowOptions options_;
    std::unique_ptr<Pyramids> pyramids_;
};

}  // namespace fovea
