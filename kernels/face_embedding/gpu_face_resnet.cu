// dlib's face recognition network on a GPU: a launch for each convolution, of many faces at once.

#include <algorithm>
#include <array>
#include <mutex>
#include <vector>

#include <tbb/parallel_for.h>

#include "kernels/core/buffer.hpp"
#include "kernels/core/gpu_launch.cuh"
#include "kernels/face_embedding/gpu_face_resnet.hpp"
#include "kernels/face_embedding/gpu_face_resnet_kernels.cuh"
#include "kernels/face_embedding/gpu_split_weights.cuh"
#include "kernels/face_embedding/vector_words_body.hpp"

namespace fovea::cuda_backend {
namespace {

constexpr const char* doing = "describing faces";

/// Faces whose maps are in memory at once: 0.5 MB each.
constexpr std::size_t max_faces = 512;

template <class T>
Buffer<T> uploaded(const Device& device, const std::vector<T>& values) {
    Buffer<T> buffer(device, values.size());
    buffer.upload(values.data(), values.size());
    // The host's memory ends with the caller's.
    device.synchronize();
    return buffer;
}

struct GpuConvolution {
    GpuConvolution(const Device& device, const std::vector<float>& biases, const SplitWeights& split)
        : weights(uploaded(device, split.halves)), bias(uploaded(device, biases)), scale(split.scale) {}

    Buffer<std::uint16_t> weights;
    Buffer<float> bias;
    float scale;
};

/// Maps of up to max_faces faces.
class GpuMaps {
  public:
    GpuMaps(const Device& device, std::size_t faces, int side, int channels)
        : values_(device, 2 * faces * static_cast<std::size_t>(side * side * channels)),
          side_(side),
          channels_(channels) {}

    SplitMaps view() const {
        return {values_.data(), static_cast<std::uint32_t>(values_.size() / 2), side_, channels_};
    }

  private:
    Buffer<std::uint16_t> values_;
    int side_, channels_;
};

/// The maps of the blocks of one size: `kept` holds the results of blocks, `between` those of the first
/// convolution of a block.
struct GpuMapPair {
    GpuMapPair(const Device& device, std::size_t faces, int kept_side, int between_side, int channels)
        : kept(device, faces, kept_side, channels), between(device, faces, between_side, channels) {}

    GpuMaps kept, between;
};

/// Memory for the maps of some faces.
struct GpuResnetMaps {
    GpuResnetMaps(const Device& device, std::size_t count)
        : faces(count),
          sizes{GpuMapPair(device, count, 35, 35, 32), GpuMapPair(device, count, 17, 17, 64),
                GpuMapPair(device, count, 8, 8, 128), GpuMapPair(device, count, 4, 4, 256),
                GpuMapPair(device, count, 2, 1, 256)},
          of_three(device, count, 3, 256) {}

    std::size_t faces;
    std::array<GpuMapPair, 5> sizes;
    GpuMaps of_three;  ///< between, in the block that leads to maps of 4 × 4
};

class GpuFaceResnet : public FaceResnetBackend {
  public:
    GpuFaceResnet(const Device& device, const FaceResnetWeights& weights)
        : device_(device),
          stem_(uploaded(device, transposed(weights.stem.weights, face_resnet_stem_channels))),
          stem_bias_(uploaded(device, weights.stem.bias)),
          projection_(uploaded(device, transposed(weights.projection, face_resnet_length))) {
        constexpr std::size_t count = 2 * face_resnet_blocks.size();
        const auto of_weights = [&](std::size_t i) -> const FaceResnetConvolution& {
            return weights.blocks[i / 2][i % 2];
        };
        std::vector<SplitWeights> split(count);
        tbb::parallel_for(std::size_t{0}, count, [&](std::size_t i) {
            const FaceResnetBlock& shape = face_resnet_blocks[i / 2];
            split[i] = split_weights(of_weights(i), i % 2 == 0 ? shape.inputs : shape.channels);
        });
        for (std::size_t i = 0; i < count; ++i)
            convolutions_.emplace_back(device, of_weights(i).bias, split[i]);
    }

    void describe(const std::uint8_t* faces, std::size_t count, float* vectors) const override {
        // The maps serve one batch after the other in the order of the stream.
        const std::lock_guard lock(mutex_);
        for (std::size_t first = 0; first < count; first += max_faces) {
            const std::size_t now = std::min(max_faces, count - first);
            if (!maps_ || maps_->faces < now) {
                maps_.reset();
                maps_ = std::make_unique<GpuResnetMaps>(device_, now);
            }
            run(faces + first * face_resnet_side * face_resnet_side, now,
                vectors + first * face_resnet_length);
        }
    }

  private:
    /// [rows][columns] as [columns][rows].
    static std::vector<float> transposed(const std::vector<float>& values, std::size_t rows) {
        const std::size_t columns = values.size() / rows;
        std::vector<float> turned(values.size());
        for (std::size_t row = 0; row < rows; ++row) {
            for (std::size_t column = 0; column < columns; ++column)
                turned[column * rows + row] = values[row * columns + column];
        }
        return turned;
    }

    void run(const std::uint8_t* faces, std::size_t count, float* vectors) const {
        const auto now = static_cast<unsigned>(count);
        SplitMaps kept = maps_->sizes[0].kept.view();
        launch_kernel(device_, doing, now * pooled_side, stem_threads, stem_shared_bytes, stem_kernel, faces,
                      stem_.data(), stem_bias_.data(), kept);
        std::size_t size = 0;
        for (std::size_t b = 0; b < face_resnet_blocks.size(); ++b) {
            const SplitMaps before = kept;
            const bool halves = face_resnet_blocks[b].stride == 2;
            if (halves) kept = maps_->sizes[++size].kept.view();
            const SplitMaps between =
                halves && kept.side == 4 ? maps_->of_three.view() : maps_->sizes[size].between.view();
            ConvolutionTask first;
            first.from = before;
            first.stride = halves ? 2 : 1;
            first.border = halves ? 0 : 1;
            first.to = between;
            convolve(2 * b, count, first);
            ConvolutionTask second;
            second.from = between;
            second.adds = halves ? AddedMaps::means : AddedMaps::same;
            second.added = before;
            second.to = kept;
            convolve(2 * b + 1, count, second);
        }
        launch_kernel(device_, doing, (now + projected_faces - 1) / projected_faces,
                      static_cast<unsigned>(face_resnet_length),
                      sizeof(float) * projected_faces * face_resnet_last_channels, project_kernel, kept,
                      projection_.data(), static_cast<int>(count), vectors);
    }

    void convolve(std::size_t number, std::size_t faces, ConvolutionTask task) const {
        const GpuConvolution& convolution = convolutions_[number];
        task.weights = convolution.weights.data();
        task.scale = convolution.scale;
        task.bias = convolution.bias.data();
        task.made = std::min(task.to.side, (task.from.side + 2 * task.border - 3) / task.stride + 1);
        task.results =
            static_cast<std::uint32_t>(faces) * static_cast<std::uint32_t>(task.to.side * task.to.side);
        const unsigned blocks = (task.results + convolution_results - 1) / convolution_results;
        if (task.to.channels == 32) {
            launch_convolution<32>(blocks, task);
        } else {
            launch_convolution<64>(blocks, task);
        }
    }

    template <int outputs>
    void launch_convolution(unsigned blocks, const ConvolutionTask& task) const {
        launch_kernel(device_, doing, dim3(blocks, static_cast<unsigned>(task.to.channels / outputs)),
                      convolution_threads<outputs>, convolution_shared_bytes<outputs>,
                      convolution_kernel<outputs>, task);
    }

    const Device& device_;
    Buffer<float> stem_, stem_bias_, projection_;
    std::vector<GpuConvolution> convolutions_;
    mutable std::mutex mutex_;
    mutable std::unique_ptr<GpuResnetMaps> maps_;
};

__global__ void round_kernel(const float* vectors, const float* mirrored, std::size_t size,
                             std::uint16_t* words) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= size) return;
    words[i] = mirrored == nullptr ? vector_word(vectors[i]) : mean_word(vectors[i], mirrored[i]);
}

}  // namespace

std::unique_ptr<const FaceResnetBackend> make_face_resnet(const Device& device,
                                                          const FaceResnetWeights& weights) {
    return std::make_unique<GpuFaceResnet>(device, weights);
}

void round_vectors(const Device& device, const float* vectors, const float* mirrored, std::size_t size,
                   std::uint16_t* words) {
    constexpr unsigned threads = 256;
    launch_kernel(device, "rounding vectors", static_cast<unsigned>((size + threads - 1) / threads), threads,
                  0, round_kernel, vectors, mirrored, size, words);
}

}  // namespace fovea::cuda_backend
