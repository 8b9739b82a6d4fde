#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "kernels/core/device.hpp"
#include "kernels/core/view.hpp"
#include "lib/core/error.hpp"
#include "lib/image/formats/bytes.hpp"

namespace fovea {

/// The state of nvJPEG, NVIDIA's JPEG decoder, in the build and on this machine.
///
/// The build needs its header. The library is loaded when it is first asked for, so that the program starts
/// without it: from the place where the build found it, or by the loader's search.
struct NvJpegLibrary {
    bool built = false;         ///< the build had the header
    std::string built_version;  ///< the header's; empty without it
    bool loaded = false;
    std::string version;   ///< the library's; empty if it is not loaded
    std::string file;      ///< the file that was loaded
    std::string why_none;  ///< the reason, a sentence, if it is not loaded
};
/// Loads nvJPEG at the first call, and gives its state.
const NvJpegLibrary& nvjpeg_library();

/// The part of the chip that decodes: its JPEG engines, or the multiprocessors, which also detect.
enum class NvJpegBackend { engines, multiprocessors };

/// nvJPEG or one of its backends is not available. The message says why.
class NvJpegUnavailable : public Error {
  public:
    explicit NvJpegUnavailable(const std::string& why) : Error(why) {}
};

/// nvJPEG with this backend does not decode a JPEG: it is damaged or of another kind (engines decode baseline
/// files with a single scan that are neither 4:1:0 nor 4:1:1). Another decoder may decode it.
class NvJpegRefused : public Error {
  public:
    explicit NvJpegRefused(const std::string& why) : Error(why) {}
};

/// Starts nvJPEG on a GPU until the program ends. \param device a CUDA device.
/// \throws NvJpegUnavailable, DeviceError
void start_nvjpeg(const Device& device, NvJpegBackend backend);

/// Decodes batches of JPEG files on one GPU. One thread at a time may use it.
///
/// Its buffers on the GPU outlive it, for the next decoder. Wait for the stream before you destroy it.
///
/// Its luma may differ from the CPU decoder's by a few grey values: every decoder rounds its own inverse DCT.
class NvJpegDecoder {
  public:
    /// \param device       a CUDA device; must outlive the decoder
    /// \param cpu_threads  the threads that parse headers, at least 1
    /// \throws NvJpegUnavailable, DeviceError
    NvJpegDecoder(const Device& device, NvJpegBackend backend, int cpu_threads = 1);
    ~NvJpegDecoder();
    NvJpegDecoder(const NvJpegDecoder&) = delete;
    NvJpegDecoder& operator=(const NvJpegDecoder&) = delete;

    NvJpegBackend backend() const;
    /// The number of JPEG engines of the chip; 0 with the other backend, or if unknown.
    int engines() const;

    /// The stored width and height, from the header. \throws NvJpegRefused if it is no JPEG.
    Size size(codec::Bytes jpeg) const;
    /// True if decode_grey() with this backend takes the file.
    bool supports(codec::Bytes jpeg) const;

    /// Queues the decoding of a batch on the device's stream: the luma of jpegs[i] goes to images[i], in
    /// device memory of at least its size. The files must stay until the stream was waited for. Batches of
    /// more than 50 suit the multiprocessors best; another number of files than in the last call costs time.
    /// \throws NvJpegRefused, DeviceError
    void decode_grey(std::span<const codec::Bytes> jpegs, std::span<const ImageView<std::uint8_t>> images);

  private:
    class Implementation;
    std::unique_ptr<Implementation> implementation_;
};

}  // namespace fovea
