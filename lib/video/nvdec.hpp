#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "kernels/core/device.hpp"
#include "kernels/luma/luma.hpp"
#include "lib/video/part_reader.hpp"

namespace fovea {

/// The state of NVDEC's library, which comes with NVIDIA's driver and is loaded when it is first asked for.
struct NvdecLibrary {
    bool loaded = false;
    std::string file;      ///< the file that was loaded
    std::string why_none;  ///< the reason, a sentence, if it is not loaded
};
/// Loads the library at the first call, and gives its state.
const NvdecLibrary& nvdec_library();

/// The reason why a GPU's decoders do not take a video: its codec, profile, bits, chroma or size, or a
/// missing library; empty if they do. It depends on the GPU and the video's facts alone.
std::string why_not_by_nvdec(const VideoSource& video, int gpu);

/// The number of a GPU's decoding engines; 0 if the library is missing or does not tell. \throws DeviceError
int nvdec_engines(int gpu);

/// Keeps the library in use on a GPU until the program ends, by a small decoder that decodes nothing. nvJPEG,
/// which reaches the JPEG engines through the library, opens and closes it twice while it starts. That takes
/// 0.52 s if nobody else uses the library, which waits for a thread when its last user leaves, and 0.02 s
/// otherwise (driver 580, H200). Does nothing if the library is missing or the GPU refuses.
/// \throws DeviceError if the GPU cannot be selected.
void keep_nvdec_in_use(int gpu);

/// A frame in the memory of a GPU.
struct NvdecFrame {
    std::int64_t time_stamp = 0;
    LumaPlane luma;  ///< on the GPU, not turned; of the stream's range, limited or full
};

/// The end of a decoder's work on a part.
struct NvdecResult {
    /// Empty if all packets were decoded; else the reason why the decoder stopped: damage, or frames of
    /// another kind than the stream's first ones. The frames given before are right.
    std::string stopped;
};

/// One session of a GPU's video decoder. It uses one of the chip's decoding engines at a time, so several
/// sessions are needed to keep all engines busy. Parts and files share a session: its decoder is made anew
/// only for another codec, chroma or number of bits, for larger frames, or if more frames refer to each
/// other. One thread at a time may use it.
class NvdecSession {
  public:
    /// \param device a CUDA device, whose stream copies frames into plain memory; must outlive the session.
    /// \throws DeviceError if the library is missing or the driver refuses.
    explicit NvdecSession(const Device& device);
    ~NvdecSession();
    NvdecSession(const NvdecSession&) = delete;
    NvdecSession& operator=(const NvdecSession&) = delete;

    /// Makes the decoder for a video that why_not_by_nvdec() allows, ahead of its first part: this takes as
    /// long as decoding about a hundred frames. \throws DeviceError
    void prepare(const VideoSource& video);

    /// Decodes a part of a video that why_not_by_nvdec() allows, independently of other parts.
    /// \param take gets the frames whose time stamps are in the part's range, in the order of display. A
    /// frame's memory is valid for work that `take` queues on the device's stream. Its exceptions
    /// pass through.
    /// \throws DeviceError
    NvdecResult decode(const VideoPart& part, const std::function<void(const NvdecFrame&)>& take);

  private:
    class Implementation;
    std::unique_ptr<Implementation> implementation_;
};

}  // namespace fovea
