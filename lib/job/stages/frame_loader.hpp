#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "lib/image/gpu_frames.hpp"
#include "lib/job/stages/batch_pipeline.hpp"
#include "lib/job/stages/stage_load.hpp"
#include "lib/video/nvdec.hpp"
#include "lib/video/video_frames.hpp"

namespace fovea {

/// How a FrameLoader passes frames on.
struct FrameLoaderOptions {
    VideoReadOptions frames;                        ///< of the CPU's decoder, where the GPU's stops
    std::size_t max_images = 32;                    ///< of a piece
    std::size_t max_bytes = std::size_t{64} << 20;  ///< of a piece, pixels
    std::size_t min_images = 16;                    ///< of a piece that is passed on because workers wait
};

/// Decodes parts of videos on one GPU, with a session of its own, and passes on their wanted frames in
/// pieces. If the GPU's decoder stops, for example at damage, the CPU decodes the part. For one thread at
/// a time.
class FrameLoader {
  public:
    FrameLoader(int gpu, const FrameLoaderOptions& options, BusySeconds& decoding);
    ~FrameLoader();
    FrameLoader(const FrameLoader&) = delete;
    FrameLoader& operator=(const FrameLoader&) = delete;

    /// Makes the decoder ahead of the first part. \throws DeviceError
    void prepare(const VideoSource& video);

    /// Decodes a batch's part of a video and passes its frames on in pieces.
    /// \throws DeviceError, std::bad_alloc
    void load(Batch& batch, const BatchStation::Pieces& pieces);

  private:
    class Work;

    NvdecSession& session();

    const FrameLoaderOptions options_;
    BusySeconds& decoding_;
    Device device_;
    std::unique_ptr<NvdecSession> session_;  // made when it is first needed: it takes much of a GPU's memory
    GpuFrameLoader frames_;
    GpuImageLoader images_;
};

}  // namespace fovea
