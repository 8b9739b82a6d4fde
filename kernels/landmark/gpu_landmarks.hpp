#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "kernels/core/device.hpp"
#include "kernels/core/image_batch.hpp"
#include "kernels/group/group.hpp"
#include "kernels/landmark/face_box.hpp"
#include "kernels/landmark/find_landmarks.hpp"

namespace fovea::cuda_backend {

/// The faces that a detector has found on the device.
struct DetectedFaces {
    int images = 0;                     ///< in the batch
    const unsigned* counts = nullptr;   ///< [image]: groups found
    const RectGroup* groups = nullptr;  ///< [image][first_count]: the first groups
    int first_count = 0;
    WindowFace face;     ///< the face in a group's rectangle
    BoxTransform edges;  ///< edges of the model's box in the face
};

/// A landmark model on one GPU. Any number of threads may use it; up to eight find() run at once, each on a
/// stream of its own.
class GpuLandmarks {
  public:
    /// \param model as check_landmark_model wants it; need not outlive this.
    /// \throws DeviceError if there is no such GPU, the program was built without CUDA, or the model needs
    /// more shared memory than a block has; std::bad_alloc.
    GpuLandmarks(const LandmarkModel& model, const LandmarkTables& tables, int device);
    ~GpuLandmarks();
    GpuLandmarks(const GpuLandmarks&) = delete;
    GpuLandmarks& operator=(const GpuLandmarks&) = delete;

    int device() const;
    int points() const;
    /// A number, 1 or more, that no other object of this process has had.
    std::uint64_t identity() const;

    /// Does find_landmarks, equal in every bit, in parts of at most 256 MB of images and 64 MB of positions;
    /// a single image may be larger. \param images in host memory or in this GPU's. \param faces, positions
    /// in host memory. \throws std::bad_alloc; DeviceError.
    void find(const ImageBatch& images, std::span<const LandmarkTask> faces, std::int32_t* positions);

    /// Measures `repeat` evaluations after a warm-up, in milliseconds each: images and boxes are on the
    /// device before, and positions stay there. All must fit into its memory at once. Errors as find.
    std::vector<double> measure(std::span<const ImageView<const std::uint8_t>> images,
                                std::span<const LandmarkTask> faces, int repeat);

    // The following functions queue work on the stream of `device`, which must be on the GPU device(). All
    // pointers are to device memory.

    /// Queues the making of tasks from detections: the tasks of image 0 first, in the order of the groups.
    /// \param images [image]. \param tasks room for images · first_count. \param count receives their number.
    void enqueue_tasks(const Device& device, const DetectedFaces& faces,
                       const ImageView<const std::uint8_t>* images, LandmarkTask* tasks,
                       unsigned* count) const;

    /// Queues the evaluation of tasks.
    /// \param count number of tasks, at most `most`. \param positions as find_landmarks, room for `most`.
    void enqueue(const Device& device, const ImageView<const std::uint8_t>* images, const LandmarkTask* tasks,
                 const unsigned* count, unsigned most, std::int32_t* positions) const;

  private:
    class Implementation;
    std::unique_ptr<Implementation> implementation_;
};

}  // namespace fovea::cuda_backend
