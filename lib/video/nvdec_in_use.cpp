#include <map>
#include <mutex>

#include "kernels/core/device.hpp"
#include "kernels/core/gpu_device.hpp"
#include "lib/video/nvdec.hpp"
#include "lib/video/nvdec_api.hpp"

namespace fovea {
namespace {

// Every chip decodes H.264, and pictures of this size.
CUVIDDECODECREATEINFO smallest_decoder() {
    constexpr unsigned side = 64;
    CUVIDDECODECREATEINFO info{};
    info.CodecType = cudaVideoCodec_H264;
    info.ChromaFormat = cudaVideoChromaFormat_420;
    info.OutputFormat = cudaVideoSurfaceFormat_NV12;
    info.ulCreationFlags = cudaVideoCreate_PreferCUVID;
    info.DeinterlaceMode = cudaVideoDeinterlaceMode_Weave;
    info.ulNumDecodeSurfaces = info.ulNumOutputSurfaces = 1;
    info.ulWidth = info.ulTargetWidth = info.ulMaxWidth = side;
    info.ulHeight = info.ulTargetHeight = info.ulMaxHeight = side;
    info.display_area.right = info.display_area.bottom = static_cast<short>(side);
    return info;
}

class IdleDecoder {
  public:
    explicit IdleDecoder(int gpu) : gpu_(gpu) {
        cuda_backend::select(gpu);
        CUVIDDECODECREATEINFO info = smallest_decoder();
        if (nvdec::api().create_decoder(&decoder_, &info) != CUDA_SUCCESS) decoder_ = nullptr;
    }
    ~IdleDecoder() {
        if (decoder_ == nullptr) return;
        try {
            cuda_backend::select(gpu_);
        } catch (const DeviceError&) {
            // The GPU has failed, and the decoder with it.
            return;
        }
        nvdec::api().destroy_decoder(decoder_);
    }
    IdleDecoder(const IdleDecoder&) = delete;
    IdleDecoder& operator=(const IdleDecoder&) = delete;

  private:
    const int gpu_;
    CUvideodecoder decoder_ = nullptr;
};

}  // namespace

void keep_nvdec_in_use(int gpu) {
    if (!nvdec_library().loaded) return;
    // Made after the library, so they are destroyed before it.
    static std::mutex mutex;
    static std::map<int, IdleDecoder> decoders;
    const std::lock_guard lock(mutex);
    decoders.try_emplace(gpu, gpu);
}

}  // namespace fovea
