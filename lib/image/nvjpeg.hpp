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
/// Its header is needed when the program is built; the library is loaded when it is first asked for, so that
/// the program starts without it: from where the build found it, or from where the loader finds it.
struct NvJpegLibrary {
    bool built = false;         ///< the header was there
    std::string built_version;  ///< of the header; empty if it was not there
    bool loaded = false;
    std::string version;   ///< of the library; empty if it is not loaded
    std::string file;      ///< it was loaded from
    std::string why_none;  ///< a sentence if it is not loaded
};
const NvJpegLibrary& nvjpeg_library();

/// Who decodes: the chip's JPEG engines, which leave its multiprocessors alone, or its multiprocessors.
enum class NvJpegBackend { engines, multiprocessors };

/// nvJPEG, or the backend asked for, is not there. The message says why.
class NvJpegUnavailable : public Error {
  public:
    explicit NvJpegUnavailable(const std::string& why) : Error(why) {}
};

/// A JPEG that nvJPEG, or this backend of it, does not decode: damaged, or of a kind that it does not know
/// (the engines: baseline with a single scan, neither 4:1:0 nor 4:1:1). Another decoder may.
class NvJpegRefused : public Error {
  public:
    explicit NvJpegRefused(const std::string& why) : Error(why) {}
};

/// Starts nvJPEG on a GPU for the rest of the program.
/// \param device  a CUDA device. \throws NvJpegUnavailable, DeviceError
void start_nvjpeg(const Device& device, NvJpegBackend backend);

/// Decodes batches of JPEG files on one GPU, for use by one thread at a time.
///
/// Its buffers on the GPU stay when it is destroyed, for the next decoder, until the program ends. So whoever
/// destroys it waits first for the stream in which it decoded.
///
/// Its luma may differ from the CPU decoder's by a few grey values: every decoder rounds its own inverse DCT.
class NvJpegDecoder {
  public:
    /// \param device       a CUDA device; must outlive the decoder
    /// \param cpu_threads  that parse headers, at least 1
    /// \throws NvJpegUnavailable, DeviceError
    NvJpegDecoder(const Device& device, NvJpegBackend backend, int cpu_threads = 1);
    ~NvJpegDecoder();
    NvJpegDecoder(const NvJpegDecoder&) = delete;
    NvJpegDecoder& operator=(const NvJpegDecoder&) = delete;

    NvJpegBackend backend() const;
    /// JPEG engines of the chip; 0 with the other backend, or if the library does not say.
    int engines() const;

    /// Width and height from the header, orientation not applied. \throws NvJpegRefused if it is no JPEG.
    Size size(codec::Bytes jpeg) const;
    /// Whether decode_grey() of this backend takes the file.
    bool supports(codec::Bytes jpeg) const;

    /// Queues the decoding of a batch on the device's stream: jpegs[i] to images[i], its luma, in device
    /// memory of at least its size. Batches of more than 50 suit the multiprocessors best; another number of
    /// files than in the call before costs a set-up. Some of the work is done before it returns; the files
    /// must stay until the stream was waited for.
    /// \throws NvJpegRefused, DeviceError
    void decode_grey(std::span<const codec::Bytes> jpegs, std::span<const ImageView<std::uint8_t>> images);

  private:
    class Implementation;
    std::unique_ptr<Implementation> implementation_;
};

}  // namespace fovea
