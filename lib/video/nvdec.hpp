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
    std::string file;      ///< it was loaded from
    std::string why_none;  ///< a sentence if it is not loaded
};
const NvdecLibrary& nvdec_library();

/// Why the decoders of a GPU do not take a video: its codec, profile, bits, chroma or size, or that the
/// library is not there. Empty if they do. The answer depends on the GPU and on the video's facts alone.
std::string why_not_by_nvdec(const VideoSource& video, int gpu);

/// Decoding engines of a GPU; 0 if the library is not there or does not say. \throws DeviceError
int nvdec_engines(int gpu);

/// Keeps the library in use on a GPU until the program ends, by a small decoder that decodes nothing. nvJPEG,
/// which reaches the JPEG engines through the library, opens and closes it twice while it starts. That takes
/// 0.52 s if nobody else uses the library, which waits for a thread when its last user leaves, and 0.02 s if
/// somebody does (driver 580, H200). Does nothing without the library or where the GPU refuses.
/// \throws DeviceError if the GPU cannot be selected.
void keep_nvdec_in_use(int gpu);

/// A frame in the memory of a GPU.
struct NvdecFrame {
    std::int64_t time_stamp = 0;
    LumaPlane luma;  ///< on the GPU, before it is turned; of limited or full range as the stream says
};

/// The state of a decoder's work on a part.
struct NvdecResult {
    /// Empty if all packets were decoded; else why the decoder stopped: damage, or frames of another kind
    /// than the stream began with. The frames given before are right.
    std::string stopped;
};

/// One session of a GPU's video decoder. A session uses one of the chip's decoding engines at a time, so
/// several sessions are needed to keep all of them busy. A session is used again from part to part and from
/// file to file: it is made anew only for another codec, chroma or number of bits, for larger frames, or
/// where more frames refer to each other. For one thread at a time.
class NvdecSession {
  public:
    /// \param device  a CUDA device, on whose stream frames are brought into plain memory; must outlive the
    /// session. \throws DeviceError if the library is not there or the driver refuses.
    explicit NvdecSession(const Device& device);
    ~NvdecSession();
    NvdecSession(const NvdecSession&) = delete;
    NvdecSession& operator=(const NvdecSession&) = delete;

    /// Makes the decoder for a video that why_not_by_nvdec() allows, ahead of its first part: that takes
    /// about as long as decoding a hundred frames. \throws DeviceError
    void prepare(const VideoSource& video);

    /// Decodes a part of a video that why_not_by_nvdec() allows, from nothing, as every part.
    /// \param take  is given the frames whose time stamps are in the part's range, in the order of display. A
    /// frame's memory is valid for work that `take` queues on the device's stream; what `take` throws
    /// passes through.
    /// \throws DeviceError
    NvdecResult decode(const VideoPart& part, const std::function<void(const NvdecFrame&)>& take);

  private:
    class Implementation;
    std::unique_ptr<Implementation> implementation_;
};

}  // namespace fovea
