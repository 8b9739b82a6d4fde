#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "kernels/core/view.hpp"

namespace fovea {

/// The channels of a network's images, in their order. All have the grey level of the pixel.
enum class OnnxChannels { bgr, rgb, grey };

/// 3 or 1.
std::size_t channel_count(OnnxChannels channels);

/// How a network in ONNX takes its images, and what it gives.
struct OnnxSettings {
    OnnxChannels channels = OnnxChannels::bgr;
    /// An element of the input is (grey level from 0 to 255 - mean) * scale; one number for all channels, or
    /// one for each, in the network's order.
    std::vector<double> mean{0};
    std::vector<double> scale{1};
    int length = 0;  ///< of the vector that the network gives
};

/// A network in ONNX with one input, an image of [1][channels][height][width] 32-bit floats, and one output,
/// a vector. OpenCV's module dnn (version 4.6) runs it on the CPU.
///
/// Faces go through the network one by one, so that a face's vector does not depend on the faces beside it,
/// and each on one thread, as OpenCV's results depend on the number of threads. Vectors are equal in every
/// bit on one machine; OpenCV chooses instructions by the processor, so that others may round otherwise.
class OnnxNetwork {
  public:
    /// The files of the networks that run side by side have at most so many bytes in all (one network always
    /// runs): each takes memory of its own, about twice its file.
    static constexpr std::size_t max_bytes_at_once = std::size_t{2} << 30;

    /// \param face width and height of faces.
    /// \throws UsageError if the file is not there, or takes other images or gives other vectors than the
    /// settings say; Error if it is torn or no network in ONNX with one input and one output, or if OpenCV
    /// cannot run it.
    OnnxNetwork(const std::filesystem::path& file, Size face, const OnnxSettings& settings);
    ~OnnxNetwork();
    OnnxNetwork(const OnnxNetwork&) = delete;
    OnnxNetwork& operator=(const OnnxNetwork&) = delete;

    /// The network's vectors as they are, on the threads of the caller's TBB arena.
    /// \param faces [count][height][width], 8-bit grey. \param vectors receives [count][length].
    /// \throws Error if a number is not finite, or OpenCV fails; std::bad_alloc.
    void describe(const std::uint8_t* faces, std::size_t count, float* vectors) const;

  private:
    class Implementation;
    std::unique_ptr<Implementation> implementation_;
};

}  // namespace fovea
