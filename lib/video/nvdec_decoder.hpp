#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <string>

#include "kernels/core/device.hpp"
#include "kernels/core/view.hpp"
#include "kernels/luma/luma.hpp"
#include "lib/video/nvdec_api.hpp"

namespace fovea::nvdec {

/// The frames of a sequence as NVDEC's parser describes them.
struct FrameKind {
    explicit FrameKind(const CUVIDEOFORMAT& format);

    cudaVideoCodec codec;
    cudaVideoChromaFormat chroma;
    int bits;
    int chroma_bits;
    Size coded;
    Rect shown;  // of the coded picture
    bool is_full_range;

    friend bool operator==(const FrameKind&, const FrameKind&) = default;
};

/// One of the chip's decoders, and its frames in memory. Calls need the GPU's context, see
/// cuda_backend::select.
class Decoder {
  public:
    explicit Decoder(const Device& device) : device_(device) {}
    ~Decoder();
    Decoder(const Decoder&) = delete;
    Decoder& operator=(const Decoder&) = delete;

    /// Makes it ready for frames of 4:2:0; no frame may be mapped. \param min_surfaces the number of pictures
    /// that the parser needs room for. \throws DeviceError
    void prepare(const FrameKind& kind, unsigned min_surfaces);
    /// The number of pictures that it has room for; 0 before the first prepare().
    unsigned surfaces() const { return surfaces_; }

    /// Begins to decode a picture. \return the reason if it refuses the picture; else empty.
    /// \throws DeviceError
    std::string decode(CUVIDPICPARAMS& picture);

    /// Waits until a picture is decoded and maps it into memory. Its luma is valid for work that is queued on
    /// the device's stream before keep_for_queued_work(). \throws DeviceError
    LumaPlane map(const CUVIDPARSERDISPINFO& info, const FrameKind& kind);
    /// Notes that all work that reads the frame mapped last is queued on the device's stream.
    /// \throws DeviceError
    void keep_for_queued_work();
    /// Waits for the work that reads frames, and unmaps all of them. \throws DeviceError
    void unmap_all();

    /// Waits until a picture is decoded. \return what is wrong with it; empty if nothing is, or the codec is
    /// neither H.264 nor HEVC, of which alone the driver tells. \throws DeviceError
    std::string state_of(int picture) const;

  private:
    // So many that the stream's work on a frame is done long before its place is needed again.
    static constexpr std::size_t max_mapped = 4;

    struct Mapped {
        CUdeviceptr memory = 0;
        CUevent done = nullptr;  // recorded behind the work that reads it; null if there is none
    };

    void create(const FrameKind& kind, unsigned min_surfaces);
    bool reconfigure(Size coded);
    void destroy() noexcept;
    Size room_for(const FrameKind& kind) const;
    CUevent take_event();
    void unmap_oldest();

    const Device& device_;
    CUvideodecoder decoder_ = nullptr;
    cudaVideoCodec codec_ = cudaVideoCodec_NumCodecs;
    int bits_ = 0;
    unsigned surfaces_ = 0;
    Size coded_;
    Size max_coded_;
    std::deque<Mapped> mapped_;  // the oldest first
    std::array<CUevent, max_mapped> events_{};
    std::size_t next_event_ = 0;
};

}  // namespace fovea::nvdec
