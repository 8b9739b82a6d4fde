#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "kernels/core/device.hpp"
#include "kernels/core/image_memory.hpp"
#include "kernels/optical_flow/flow.hpp"

namespace fovea::cuda_backend {

/// Points in the memory of a GPU.
struct GpuFlowPoints {
    int count = 0;
    const FlowPoint* points = nullptr;
    FlowPoint* moved = nullptr;  ///< holds guesses first, if options.starts_at_guess
    std::uint8_t* found = nullptr;
    float* errors = nullptr;    ///< may be nullptr
    FlowPoint* back = nullptr;  ///< may be nullptr; else receives where the moved points come from
    std::uint8_t* found_back = nullptr;
};

/// A FlowPyramid in the memory of a GPU. It takes one launch for its first two levels and one for each
/// further level.
class GpuFlowPyramid {
  public:
    /// \param device a GPU; must outlive this. All work is queued on its stream.
    /// \throws DeviceError; also if the program was built without CUDA.
    explicit GpuFlowPyramid(const Device& device);
    ~GpuFlowPyramid();
    GpuFlowPyramid(const GpuFlowPyramid&) = delete;
    GpuFlowPyramid& operator=(const GpuFlowPyramid&) = delete;

    /// Queues the making of the pyramid. \param image in `memory`; in host memory it may change after the
    /// call, in the GPU's only after what is queued is done. \param window, max_level as FlowPyramid::build,
    /// errors also. \throws std::bad_alloc; DeviceError.
    void build(const ImageView<const std::uint8_t>& image, ImageMemory memory, Size window, int max_level);

    class Implementation;
    const Implementation& implementation() const { return *implementation_; }

  private:
    std::unique_ptr<Implementation> implementation_;
};

/// Two images, and how many points are followed from the one to the other.
struct GpuFlowPair {
    const GpuFlowPyramid* from = nullptr;
    const GpuFlowPyramid* to = nullptr;
    std::size_t points = 0;
};

/// Points followed by one GPU from an image to the next one: all bits as follow_points. The pyramids of two
/// images stay in the GPU's memory. All points and levels take one launch, the way back included.
class GpuOpticalFlow {
  public:
    /// \param device a GPU; must outlive this. All work is queued on its stream.
    /// \throws DeviceError; also if the program was built without CUDA.
    explicit GpuOpticalFlow(const Device& device);
    ~GpuOpticalFlow();
    GpuOpticalFlow(const GpuOpticalFlow&) = delete;
    GpuOpticalFlow& operator=(const GpuOpticalFlow&) = delete;

    /// Queues the making of a pyramid, as GpuFlowPyramid::build. The image that was the newest one is the
    /// earlier one from then on.
    void add_image(const ImageView<const std::uint8_t>& image, ImageMemory memory, Size window,
                   int max_level);

    /// follow_points from the earlier image to the newest one; waits for the result. \param back, found_back
    /// empty, or receive the way back as follow_points_and_back has it.
    /// \throws std::invalid_argument as follow_points, and for a window that is too large for the GPU's
    /// shared memory; std::bad_alloc; DeviceError.
    void follow(std::span<const FlowPoint> points, std::span<FlowPoint> moved, std::span<std::uint8_t> found,
                std::span<float> errors, const FlowOptions& options, std::span<FlowPoint> back = {},
                std::span<std::uint8_t> found_back = {});

    /// follow() in several pairs of images at once, which all have the same size. \param points those of the
    /// first pair first; their number is the sum of the pairs'. The pyramids are of the device's stream.
    void follow(std::span<const GpuFlowPair> pairs, std::span<const FlowPoint> points,
                std::span<FlowPoint> moved, std::span<std::uint8_t> found, const FlowOptions& options,
                std::span<FlowPoint> back, std::span<std::uint8_t> found_back);

    /// The first follow(), queued: what `points` points at is in the GPU's memory.
    void enqueue(const GpuFlowPoints& points, const FlowOptions& options);

    /// Milliseconds of each of `repeat` runs, after a warm-up, by events on the stream: pyramids of `images`
    /// images (0, 1 or 2) and the points. \param image in host memory; it is brought to the GPU first. The
    /// images that were added before are the ones that points are followed in.
    std::vector<double> measure(const ImageView<const std::uint8_t>& image, int images,
                                std::span<const FlowPoint> points, bool and_back, const FlowOptions& options,
                                int repeat);

  private:
    class Implementation;
    std::unique_ptr<Implementation> implementation_;
};

}  // namespace fovea::cuda_backend
