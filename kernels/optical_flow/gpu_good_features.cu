#include <cstddef>
#include <cstring>
#include <cub/device/device_radix_sort.cuh>
#include <stdexcept>

#include "kernels/core/gpu_memory.cuh"
#include "kernels/optical_flow/corner_choice.hpp"
#include "kernels/optical_flow/gpu_good_features.hpp"
#include "kernels/optical_flow/gpu_good_features_kernels.cuh"
#include "kernels/optical_flow/gpu_image_copy.cuh"

namespace fovea::cuda_backend {

class GpuGoodFeatures::Implementation {
  public:
    explicit Implementation(const Device& device)
        : device_(device),
          image_(device.index()),
          mask_(device.index()),
          values_(device.index()),
          counts_(device.index()),
          keys_(device.index()),
          sorting_(device.index()),
          staging_(device.index(), true) {
        check(cudaSetDevice(device.index()), device.index(), "selecting the device");
        staging_.reserve(sizeof(CornerCounts));
        counts_.reserve(sizeof(CornerCounts));
    }

    std::vector<float> min_eigenvalues(const ImageView<const std::uint8_t>& image, ImageMemory memory) {
        check_corner_image(image);
        const ImageView<const float> values = queue_eigenvalues(brought(image, memory, image_), {});
        std::vector<float> result(pixels_of(image));
        cuda_backend::copy(device_.index(), device_.stream(), result.data(), values.data,
                           result.size() * sizeof(float));
        device_.synchronize();
        return result;
    }

    std::vector<FlowPoint> find(const ImageView<const std::uint8_t>& image, ImageMemory memory,
                                const GoodFeaturesOptions& options,
                                const ImageView<const std::uint8_t>& mask) {
        check_corner_arguments(image, options, mask);
        if (image.width < 3 || image.height < 3) return {};
        CornerTask task{};
        if (!mask.empty()) task.mask = brought(mask, memory, mask_);
        task.values = queue_eigenvalues(brought(image, memory, image_), task.mask);
        task.quality = options.quality;
        task.counts = counts_.at<CornerCounts>();
        queue_corners(task);
        const unsigned count = counted();
        if (count == 0) return {};
        return choose_corners(sorted(task, count), {image.width, image.height}, options);
    }

  private:
    static std::size_t pixels_of(const ImageView<const std::uint8_t>& image) {
        return static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height);
    }

    ImageView<const std::uint8_t> brought(const ImageView<const std::uint8_t>& image, ImageMemory memory,
                                          GpuImageCopy& copy) const {
        // A corner's place has 32 bits.
        if (pixels_of(image) >= std::size_t{1} << 32) {
            throw std::invalid_argument(
                "corners are sought in an image of 2^32 pixels or more, which is too large for a GPU: find "
                "them on the CPU");
        }
        return memory == ImageMemory::device ? image : copy.queue(device_, image);
    }

    ImageView<const float> queue_eigenvalues(const ImageView<const std::uint8_t>& image,
                                             const ImageView<const std::uint8_t>& mask) {
        // All earlier work is done: every call waits for its result.
        values_.reserve(pixels_of(image) * sizeof(float));
        check(cudaSetDevice(device_.index()), device_.index(), "selecting the device");
        check(cudaMemsetAsync(counts_.at(), 0, sizeof(CornerCounts), stream()), device_.index(),
              "clearing memory");
        const ImageView<float> values{values_.at<float>(), image.width, image.height, image.width};
        const EigenvalueTask task{image, mask, values, counts_.at<CornerCounts>()};
        const auto blocks = static_cast<unsigned>((image.width - 1) / walked_columns + 1);
        launch_kernel(device_, "finding eigenvalues", blocks, dim3(grid_block_width, grid_block_height), 0,
                      eigenvalue_kernel, task);
        return values;
    }

    void queue_corners(const CornerTask& task) const {
        launch_2d(device_, "finding corners", task.values.width - 2, task.values.height - 2, corner_kernel,
                  task);
    }

    unsigned counted() {
        cuda_backend::copy(device_.index(), device_.stream(), staging_.at(), counts_.at(),
                           sizeof(CornerCounts));
        device_.synchronize();
        return staging_.at<CornerCounts>()->counted;
    }

    // The corners as they are sorted, the best one first.
    std::vector<FlowPoint> sorted(CornerTask task, unsigned count) {
        const std::size_t bytes = count * sizeof(std::uint64_t), other = align_up(bytes);
        keys_.reserve(other + bytes);
        staging_.reserve(bytes);
        task.keys = keys_.at<std::uint64_t>();
        queue_corners(task);
        auto* const best_first = keys_.at<std::uint64_t>(other);
        std::size_t needed = 0;
        const auto sort = [&](void* memory) {
            check(cub::DeviceRadixSort::SortKeysDescending(memory, needed, task.keys, best_first, count, 0,
                                                           64, stream()),
                  device_.index(), "sorting corners");
        };
        sort(nullptr);  // only says how much memory it needs
        sorting_.reserve(needed);
        sort(sorting_.at());
        cuda_backend::copy(device_.index(), device_.stream(), staging_.at(), best_first, bytes);
        device_.synchronize();
        const auto width = static_cast<std::uint32_t>(task.values.width);
        std::vector<FlowPoint> points(count);
        for (unsigned i = 0; i < count; ++i) {
            const auto place = static_cast<std::uint32_t>(staging_.at<std::uint64_t>()[i]);
            points[i] = {static_cast<float>(place % width), static_cast<float>(place / width)};
        }
        return points;
    }

    cudaStream_t stream() const { return static_cast<cudaStream_t>(device_.stream()); }

    const Device& device_;
    GpuImageCopy image_, mask_;
    DeviceMemory values_, counts_, keys_, sorting_;
    HostMemory staging_;
};

GpuGoodFeatures::GpuGoodFeatures(const Device& device)
    : implementation_(std::make_unique<Implementation>(device)) {}
GpuGoodFeatures::~GpuGoodFeatures() = default;

std::vector<FlowPoint> GpuGoodFeatures::find(const ImageView<const std::uint8_t>& image, ImageMemory memory,
                                             const GoodFeaturesOptions& options,
                                             const ImageView<const std::uint8_t>& mask) {
    return implementation_->find(image, memory, options, mask);
}

std::vector<float> GpuGoodFeatures::min_eigenvalues(const ImageView<const std::uint8_t>& image,
                                                    ImageMemory memory) {
    return implementation_->min_eigenvalues(image, memory);
}

}  // namespace fovea::cuda_backend
