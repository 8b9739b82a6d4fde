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
    FlowPoint* moved = nullptr;  ///< holds guesses before if options.starts_at_guess
    std::uint8_t* found = nullptr;
    float* errors = nullptr;             ///< may be null
    FlowPoint* back = nullptr;           ///< null, or receives the ends of the ways back
    std::uint8_t* found_back = nullptr;  ///< only with `back`
};

/// A FlowPyramid in the memory of a GPU. One launch makes its first two levels, and one each further level.
class GpuFlowPyramid {
  public:
    /// \param device a GPU; must outlive this. All work is queued on its stream.
    /// \throws DeviceError; also if the program was built without CUDA.
    explicit GpuFlowPyramid(const Device& device);
    ~GpuFlowPyramid();
    GpuFlowPyramid(const GpuFlowPyramid&) = delete;
    GpuFlowPyramid& operator=(const GpuFlowPyramid&) = delete;

    /// Queues the making of the pyramid. \param image in `memory`: in host memory it may change after the
    /// call, in the GPU's only after the queued work is done. \param window, max_level as FlowPyramid::build.
    /// \throws std::invalid_argument as FlowPyramid::build and for over 24 levels; DeviceError;
    /// std::bad_alloc if memory runs out.
    void build(const ImageView<const std::uint8_t>& image, ImageMemory memory, Size window, int max_level);

    class Implementation;
    const Implementation& implementation() const { return *implementation_; }

  private:
    std::unique_ptr<Implementation> implementation_;
};

/// Two images, and the number of points that are followed from the one to the other.
struct GpuFlowPair {
    const GpuFlowPyramid* from = nullptr;
    const GpuFlowPyramid* to = nullptr;
    std::size_t points = 0;
};

/// Follows points by one GPU from an image to the next, equal in every bit to follow_points. The pyramids of
/// two images stay in the GPU's memory. All points and levels take one launch, the way back included. For one
/// thread at a time.
class GpuOpticalFlow {
  public:
    /// \param device a GPU; must outlive this. All work is queued on its stream.
    /// \throws DeviceError; also if the program was built without CUDA.
    explicit GpuOpticalFlow(const Device& device);
    ~GpuOpticalFlow();
    GpuOpticalFlow(const GpuOpticalFlow&) = delete;
    GpuOpticalFlow& operator=(const GpuOpticalFlow&) = delete;

    /// Queues the making of a pyramid as GpuFlowPyramid::build. The image becomes the newest one, and the
    /// last newest one the earlier one.
    void add_image(const ImageView<const std::uint8_t>& image, ImageMemory memory, Size window,
                   int max_level);

    /// Does follow_points from the earlier image to the newest one, and waits for the result.
    /// \param back, found_back empty, or receive the way back as follow_points_and_back gives it.
    /// \throws std::invalid_argument as follow_points, and for a window too large for the GPU's shared
    /// memory; std::bad_alloc; DeviceError.
    void follow(std::span<const FlowPoint> points, std::span<FlowPoint> moved, std::span<std::uint8_t> found,
                std::span<float> errors, const FlowOptions& options, std::span<FlowPoint> back = {},
                std::span<std::uint8_t> found_back = {});

    /// Does follow() for several pairs of images of one size at once. \param pairs of pyramids made on the
    /// device's stream. \param points pair by pair; their number is the sum of GpuFlowPair::points.
    void follow(std::span<const GpuFlowPair> pairs, std::span<const FlowPoint> points,
                std::span<FlowPoint> moved, std::span<std::uint8_t> found, const FlowOptions& options,
                std::span<FlowPoint> back, std::span<std::uint8_t> found_back);

    /// Queues what the first follow() does. \param points its pointers are to the GPU's memory.
    void enqueue(const GpuFlowPoints& points, const FlowOptions& options);

    /// Measures `repeat` runs after a warm-up, by events on the stream, in milliseconds each. A run makes
    /// `images` pyramids (0, 1 or 2) of `image` and follows the points between the images added before.
    /// \param image in host memory; it is brought to the GPU before the runs.
    std::vector<double> measure(const ImageView<const std::uint8_t>& image, int images,
                                std::span<const FlowPoint> points, bool and_back, const FlowOptions& options,
                                int repeat);

  private:
    class Implementation;
    std::unique_ptr<Implementation> implementation_;
};

}  // namespace fovea::cuda_backend
