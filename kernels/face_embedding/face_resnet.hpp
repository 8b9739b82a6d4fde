#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "kernels/core/device.hpp"
#include "kernels/face_embedding/face_resnet_weights.hpp"

namespace fovea {

/// A device's part of FaceResnet; any number of threads may use it.
class FaceResnetBackend {
  public:
    FaceResnetBackend() = default;
    FaceResnetBackend(const FaceResnetBackend&) = delete;
    FaceResnetBackend& operator=(const FaceResnetBackend&) = delete;
    virtual ~FaceResnetBackend() = default;

    virtual void describe(const std::uint8_t* faces, std::size_t count, float* vectors) const = 0;
};

/// dlib's face recognition network, ready to run: it turns a picture of a face into a vector. Vectors of one
/// person are near to each other: dlib's author takes faces for the same person up to a distance of 0.6.
class FaceResnet {
  public:
    /// On the CPU it takes 42 MB for the weights, and later 6 MB for each thread that describes faces at
    /// once; on a GPU 23 MB, and later 0.5 MB for each face at once, of which there are at most 512.
    /// \param device must outlive this. \throws std::invalid_argument as check_face_resnet(); DeviceError;
    /// std::bad_alloc.
    FaceResnet(const Device& device, const FaceResnetWeights& weights);

    /// Describes faces. On the CPU they are shared among the threads of TBB, and the call returns when all is
    /// done; on CUDA it is asynchronous. Any number of threads may call.
    ///
    /// A vector depends on its face alone: it is equal in every bit for every number of faces and threads, on
    /// all instruction sets with fused multiply-add (AVX2, AVX-512, NEON), and on all GPUs of one
    /// architecture. On others (SSE) each product is rounded before it is added, and a GPU adds in another
    /// order: vectors of length 1 differ by less than 1e-5. The same bits there would take two roundings
    /// everywhere, and twice the time. On a GPU, values of maps beyond 65,504 become infinite.
    ///
    /// \param faces [count][150][150] on the device, 8-bit grey, as dlib's chips of 150×150 with a padding of
    /// 0.25 show a face. \param vectors [count][128] on the device, is written. \throws std::bad_alloc;
    /// DeviceError.
    void describe(const std::uint8_t* faces, std::size_t count, float* vectors) const;

  private:
    std::unique_ptr<const FaceResnetBackend> backend_;
};

}  // namespace fovea
