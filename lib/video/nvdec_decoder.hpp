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

    /// Makes it ready for frames of 4:2:0; no frame may be in memory. \param min_surfaces pictures that the
    /// parser needs room for. \throws DeviceError
    void prepare(const FrameKind& kind, unsigned min_surfaces);
    /// Pictures that it has room for; 0 before the first prepare().
    unsigned surfaces() const { return surfaces_; }

    /// Empty, or why it refuses the picture. \throws DeviceError
    std::string decode(CUVIDPICPARAMS& picture);

    /// Brings a picture into memory and waits until it is decoded. Work queued on the device's stream behind
    /// it finds its luma there until keep_for_queued_work() and unmap(). \throws DeviceError
    LumaPlane map(const CUVIDPARSERDISPINFO& info, const FrameKind& kind);
    /// Work that reads the frame mapped last is queued on the device's stream. \throws DeviceError
    void keep_for_queued_work();
    /// Takes all frames out of memory when the work that reads them is done. \throws DeviceError
    void unmap_all();

    /// Waits until a picture is decoded: empty if it is right, else what is wrong with it. Only H.264 and
    /// HEVC are told. \throws DeviceError
    std::string state_of(int picture) const;

  private:
    // Enough that the stream's work on a frame is done long before its place is needed again.
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
