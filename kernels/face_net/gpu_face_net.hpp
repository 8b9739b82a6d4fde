#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "kernels/core/device.hpp"
#include "kernels/core/image_batch.hpp"
#include "kernels/face_net/face_net.hpp"

namespace fovea {

/// Non-maximum suppression of an image's cells, greedy from the strongest on. Boxes are those of
/// box_of_cell(), enlarged to the whole image:
/// - In each size, in the order of falling logit, then is_before(), a cell is dropped if its box's IoU with
///   that of a cell that stays is above max_iou.
/// - Then, among the cells of all sizes that are left, in the order of falling score, then rising top, left,
///   width and height, a cell is dropped if its box's IoU with that of a cell that stays is above max_iou, or
///   if one of the two boxes has more than twice the area of the other one and holds its centre.
struct NetSuppression {
    double max_iou = 0;
    /// The score is 1 / (1 + exp(-(slope · logit + offset))); slope above 0.
    double slope = 1, offset = 0;
};

/// The cells of an image.
struct ImageCells {
    std::vector<std::vector<NetCell>> of_size;  ///< [size of face_net_sizes()][cell]
    /// Only cells that suppression leaves are there, in any order.
    bool are_suppressed = false;
};

/// A face network ready to run on a GPU, for one thread at a time. It keeps the memory of the largest batch,
/// some 12 bytes for each pixel of an image.
class GpuFaceNet {
  public:
    virtual ~GpuFaceNet() = default;

    /// Finds the cells whose logit is at least `min_logit`. Each list equals, in every bit, the result of
    /// FaceNetRunner::run() for the image in this size.
    /// \param images in host memory or in the GPU's; at least 1×1.
    /// \param suppression is done on the GPU, except for images in which the last bits of a box decide: their
    /// cells come back as they are, for the caller to suppress.
    /// \throws std::invalid_argument if an image is empty; std::bad_alloc; DeviceError.
    virtual std::vector<ImageCells> run(const ImageBatch& images, float min_logit,
                                        const std::optional<NetSuppression>& suppression = {}) = 0;
};

namespace cuda_backend {

/// \throws std::invalid_argument if the network has a fault (find_fault); DeviceError if there is no such GPU
/// or the program was built without CUDA.
std::unique_ptr<GpuFaceNet> make_gpu_face_net(const FaceNet& net, int gpu, GpuShare share = GpuShare::all);

}  // namespace cuda_backend
}  // namespace fovea
