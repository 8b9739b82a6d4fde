#pragma once

#include <cstddef>
#include <exception>
#include <memory>
#include <optional>
#include <thread>

#include "lib/core/bounded_queue.hpp"
#include "lib/inputs/image_list.hpp"
#include "lib/job/stages/frame_loader.hpp"
#include "lib/job/stages/resident_pool.hpp"
#include "lib/run/track/frame_pieces.hpp"

namespace fovea {

/// The frames of a video in the memory of a GPU, which decodes them ahead.
class GpuPieces final : public FramePieces {
  public:
    /// \param frames of one video that the GPU's decoders take; must outlive this. \param loader must outlive
    /// this, and must serve nothing else meanwhile. \param max_frames_held the number of frames in pieces
    /// that are kept at once.
    GpuPieces(const ImageList& frames, const VideoLimits& limits, FrameLoader& loader,
              std::size_t max_frames_held);
    ~GpuPieces() override;
    std::optional<FramePiece> next() override;

  private:
    void decode();

    const ImageList& frames_;
    const VideoLimits limits_;
    FrameLoader& loader_;
    std::shared_ptr<ResidentPool> memory_;
    BoundedQueue<Batch> decoded_;
    std::exception_ptr failure_;  // read once the queue is closed
    std::thread decoder_;
};

/// Frames that were read on the host, brought to a GPU.
class UploadedPieces final : public FramePieces {
  public:
    /// \param max_frames_held as in GpuPieces. \throws DeviceError
    UploadedPieces(std::unique_ptr<FrameReader> reader, int gpu, std::size_t max_frames_held);
    std::optional<FramePiece> next() override;

  private:
    std::unique_ptr<FrameReader> reader_;
    GpuImageLoader loader_;
    std::shared_ptr<ResidentPool> memory_;
};

}  // namespace fovea
