#pragma once

// NVDEC's functions, and those of the driver that go with them; for the sources of this folder alone.

#include <optional>
#include <string>
#include <string_view>

#include <ffnvcodec/dynlink_cuda.h>
#include <ffnvcodec/dynlink_nvcuvid.h>

#include "lib/process/dynamic_library.hpp"

namespace fovea::nvdec {

/// The functions that are used here, with the types that FFmpeg's copies of NVIDIA's headers give them.
struct Api {
    DynamicLibrary decoder;
    DynamicLibrary driver;
    bool is_complete = true;

    tcuvidGetDecoderCaps* get_caps = find<tcuvidGetDecoderCaps*>(decoder, "cuvidGetDecoderCaps");
    tcuvidCreateDecoder* create_decoder = find<tcuvidCreateDecoder*>(decoder, "cuvidCreateDecoder");
    tcuvidDestroyDecoder* destroy_decoder = find<tcuvidDestroyDecoder*>(decoder, "cuvidDestroyDecoder");
    tcuvidReconfigureDecoder* reconfigure_decoder =
        find<tcuvidReconfigureDecoder*>(decoder, "cuvidReconfigureDecoder");
    tcuvidDecodePicture* decode_picture = find<tcuvidDecodePicture*>(decoder, "cuvidDecodePicture");
    tcuvidGetDecodeStatus* get_decode_status = find<tcuvidGetDecodeStatus*>(decoder, "cuvidGetDecodeStatus");
    tcuvidMapVideoFrame64* map_frame = find<tcuvidMapVideoFrame64*>(decoder, "cuvidMapVideoFrame64");
    tcuvidUnmapVideoFrame64* unmap_frame = find<tcuvidUnmapVideoFrame64*>(decoder, "cuvidUnmapVideoFrame64");
    tcuvidCreateVideoParser* create_parser =
        find<tcuvidCreateVideoParser*>(decoder, "cuvidCreateVideoParser");
    tcuvidParseVideoData* parse = find<tcuvidParseVideoData*>(decoder, "cuvidParseVideoData");
    tcuvidDestroyVideoParser* destroy_parser =
        find<tcuvidDestroyVideoParser*>(decoder, "cuvidDestroyVideoParser");

    tcuGetErrorName* error_name = find<tcuGetErrorName*>(driver, "cuGetErrorName");
    tcuEventCreate* create_event = find<tcuEventCreate*>(driver, "cuEventCreate");
    tcuEventDestroy_v2* destroy_event = find<tcuEventDestroy_v2*>(driver, "cuEventDestroy_v2");
    tcuEventRecord* record_event = find<tcuEventRecord*>(driver, "cuEventRecord");
    tcuEventSynchronize* wait_for_event = find<tcuEventSynchronize*>(driver, "cuEventSynchronize");

    Api();

  private:
    template <class Function>
    Function find(const DynamicLibrary& library, const char* name) {
        const auto function = library.find<Function>(name);
        is_complete = is_complete && function != nullptr;
        return function;
    }
};

/// Loads the libraries at the first call; without them all functions are null, see nvdec_library().
const Api& api();

/// Errors of the driver that are told from others; FFmpeg's headers name few.
constexpr auto invalid_value = static_cast<CUresult>(1);

/// CUDA's name for an error, e.g. "CUDA_ERROR_INVALID_VALUE".
std::string error_name(CUresult status);
/// \throws DeviceError naming the GPU, what was being done and CUDA's name for the error.
void check(CUresult status, int gpu, const char* doing);

/// NVDEC's number for a codec, by FFmpeg's name; nothing if frames of its decoder are not those of the CPU's,
/// or if it has none.
std::optional<cudaVideoCodec> codec_of(std::string_view name);
/// Bits of the samples of a pixel format that is taken, by FFmpeg's name; 0 if it is not taken: 4:2:0 is.
int bits_of(std::string_view pixel_format);

/// Asked for once for each GPU, codec and number of bits, for frames of 4:2:0. \throws DeviceError
CUVIDDECODECAPS capabilities(int gpu, cudaVideoCodec codec, int bits);
/// True for a size of coded pictures that is taken.
bool is_within(const CUVIDDECODECAPS& limits, unsigned width, unsigned height);

}  // namespace fovea::nvdec
