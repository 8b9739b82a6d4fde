#include "lib/video/nvdec_decoder.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

#include "kernels/core/gpu_device.hpp"

namespace fovea::nvdec {
namespace {

// Pictures beyond those that the parser needs, for those that are decoded ahead.
constexpr unsigned surfaces_ahead = 4;
constexpr unsigned max_surfaces = 32;
// The next stream needs no new decoder if there is room for as many as H.264 and HEVC can ask for; large
// pictures get what they need.
constexpr unsigned generous_surfaces = 20;
constexpr std::size_t generous_bytes = 64U << 20;

constexpr auto max_wait = std::chrono::seconds(20);

unsigned even(int side) {
    return (static_cast<unsigned>(side) + 1) & ~1U;
}

std::size_t bytes_of_surface(Size size, int bits) {
    return std::size_t{even(size.width)} * even(size.height) * 3 / 2 * (bits > 8 ? 2 : 1);
}

unsigned surfaces_for(unsigned needed, Size size, int bits) {
    const auto affordable = static_cast<unsigned>(
        std::min<std::size_t>(generous_surfaces, generous_bytes / bytes_of_surface(size, bits)));
    return std::max(needed, std::min(max_surfaces, std::max(needed + surfaces_ahead, affordable)));
}

}  // namespace

FrameKind::FrameKind(const CUVIDEOFORMAT& format)
    : codec(format.codec),
      chroma(format.chroma_format),
      bits(format.bit_depth_luma_minus8 + 8),
      chroma_bits(format.bit_depth_chroma_minus8 + 8),
      coded{static_cast<int>(format.coded_width), static_cast<int>(format.coded_height)},
      shown{format.display_area.left, format.display_area.top,
            format.display_area.right - format.display_area.left,
            format.display_area.bottom - format.display_area.top},
      is_full_range(format.video_signal_description.video_full_range_flag != 0) {}

Decoder::~Decoder() {
    try {
        cuda_backend::select(device_.index());
        unmap_all();
    } catch (...) {
        // The GPU has failed: whoever uses it next is told.
    }
    destroy();
    for (const CUevent event : events_) {
        if (event != nullptr) api().destroy_event(event);
    }
}

void Decoder::destroy() noexcept {
    if (decoder_ != nullptr) api().destroy_decoder(decoder_);
    decoder_ = nullptr;
    surfaces_ = 0;
}

void Decoder::prepare(const FrameKind& kind, unsigned min_surfaces) {
    const bool can_stay = decoder_ != nullptr && kind.codec == codec_ && kind.bits == bits_ &&
                          min_surfaces <= surfaces_ && kind.coded.width <= max_coded_.width &&
                          kind.coded.height <= max_coded_.height;
    if (can_stay && (kind.coded == coded_ || reconfigure(kind.coded))) return;
    create(kind, min_surfaces);
}

// Room for all sizes seen, so that videos that take turns need no new decoder each time.
Size Decoder::room_for(const FrameKind& kind) const {
    const Size both{std::max(max_coded_.width, kind.coded.width),
                    std::max(max_coded_.height, kind.coded.height)};
    const CUVIDDECODECAPS limits = capabilities(device_.index(), kind.codec, kind.bits);
    const bool is_allowed = is_within(limits, even(both.width), even(both.height));
    return is_allowed ? both : kind.coded;
}

void Decoder::create(const FrameKind& kind, unsigned min_surfaces) {
    destroy();
    const Size room = room_for(kind);
    CUVIDDECODECREATEINFO info{};
    info.CodecType = kind.codec;
    info.ChromaFormat = cudaVideoChromaFormat_420;
    info.bitDepthMinus8 = static_cast<unsigned>(kind.bits - 8);
    info.OutputFormat = kind.bits == 8 ? cudaVideoSurfaceFormat_NV12 : cudaVideoSurfaceFormat_P016;
    info.ulCreationFlags = cudaVideoCreate_PreferCUVID;
    info.DeinterlaceMode = cudaVideoDeinterlaceMode_Weave;
    info.ulNumDecodeSurfaces = surfaces_for(min_surfaces, room, kind.bits);
    info.ulNumOutputSurfaces = max_mapped;
    info.ulMaxWidth = even(room.width);
    info.ulMaxHeight = even(room.height);
    // Whole coded pictures come out, so that nothing is scaled; surfaces have even sides. The part that is
    // shown is cut out by its address.
    info.ulWidth = info.ulTargetWidth = even(kind.coded.width);
    info.ulHeight = info.ulTargetHeight = even(kind.coded.height);
    info.display_area.right = static_cast<short>(info.ulWidth);
    info.display_area.bottom = static_cast<short>(info.ulHeight);
    const CUresult status = api().create_decoder(&decoder_, &info);
    if (status != CUDA_SUCCESS) decoder_ = nullptr;
    check(status, device_.index(), "making a video decoder");
    codec_ = kind.codec;
    bits_ = kind.bits;
    surfaces_ = static_cast<unsigned>(info.ulNumDecodeSurfaces);
    coded_ = kind.coded;
    max_coded_ = room;
}

// False if it must be made anew.
bool Decoder::reconfigure(Size coded) {
    CUVIDRECONFIGUREDECODERINFO info{};
    info.ulWidth = info.ulTargetWidth = even(coded.width);
    info.ulHeight = info.ulTargetHeight = even(coded.height);
    info.display_area.right = static_cast<short>(info.ulWidth);
    info.display_area.bottom = static_cast<short>(info.ulHeight);
    info.ulNumDecodeSurfaces = surfaces_;
    if (api().reconfigure_decoder(decoder_, &info) != CUDA_SUCCESS) return false;
    coded_ = coded;
    return true;
}

std::string Decoder::decode(CUVIDPICPARAMS& picture) {
    const CUresult status = api().decode_picture(decoder_, &picture);
    if (status == invalid_value) return "the decoder refuses a picture (" + error_name(status) + ")";
    check(status, device_.index(), "decoding a picture");
    return {};
}

LumaPlane Decoder::map(const CUVIDPARSERDISPINFO& info, const FrameKind& kind) {
    if (mapped_.size() == max_mapped) unmap_oldest();
    CUVIDPROCPARAMS how{};
    how.progressive_frame = 1;  // both fields stay woven
    how.top_field_first = info.top_field_first;
    how.output_stream = static_cast<CUstream>(device_.stream());
    unsigned long long memory = 0;
    unsigned pitch = 0;
    check(api().map_frame(decoder_, info.picture_index, &memory, &pitch, &how), device_.index(),
          "bringing a frame into memory");
    mapped_.push_back({memory, nullptr});
    LumaPlane luma;
    luma.step_bytes = kind.bits > 8 ? 2 : 1;
    luma.stride_bytes = pitch;
    luma.data = reinterpret_cast<const std::uint8_t*>(memory) + kind.shown.y * luma.stride_bytes +
                std::ptrdiff_t{kind.shown.x} * luma.step_bytes;
    luma.width = kind.shown.width;
    luma.height = kind.shown.height;
    luma.bits = kind.bits;
    luma.shift = kind.bits > 8 ? 16 - kind.bits : 0;
    return luma;
}

// There are as many events as frames: they are used in turn, as the frames are.
CUevent Decoder::take_event() {
    CUevent& event = events_[next_event_];
    next_event_ = (next_event_ + 1) % events_.size();
    if (event == nullptr) {
        check(api().create_event(&event, CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING), device_.index(),
              "making an event");
    }
    return event;
}

void Decoder::keep_for_queued_work() {
    const CUevent event = take_event();
    check(api().record_event(event, static_cast<CUstream>(device_.stream())), device_.index(),
          "recording an event");
    mapped_.back().done = event;
}

void Decoder::unmap_oldest() {
    const Mapped frame = mapped_.front();
    if (frame.done != nullptr) {
        check(api().wait_for_event(frame.done), device_.index(), "waiting for work on a frame");
    } else {
        device_.synchronize();
    }
    mapped_.pop_front();
    check(api().unmap_frame(decoder_, frame.memory), device_.index(), "taking a frame out of memory");
}

void Decoder::unmap_all() {
    while (!mapped_.empty()) unmap_oldest();
}

std::string Decoder::state_of(int picture) const {
    if (codec_ != cudaVideoCodec_H264 && codec_ != cudaVideoCodec_HEVC) return {};
    const auto begin = std::chrono::steady_clock::now();
    for (;;) {
        CUVIDGETDECODESTATUS state{};
        const CUresult status = api().get_decode_status(decoder_, picture, &state);
        if (status != CUDA_SUCCESS) {
            return "the decoder does not tell whether a frame is right (" + error_name(status) + ")";
        }
        switch (state.decodeStatus) {
            case cuvidDecodeStatus_Error:
                return "a frame is damaged";
            case cuvidDecodeStatus_Error_Concealed:
                return "a frame is damaged, and the decoder made up for it";
            case cuvidDecodeStatus_InProgress:
                break;
            default:
                return {};
        }
        if (std::chrono::steady_clock::now() - begin > max_wait)
            throw DeviceError(device_.name() + " failed in decoding a picture: it does not end");
        std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
}

}  // namespace fovea::nvdec
