#pragma once

// Functions of NVDEC and of the driver; for the sources of this folder alone.

#include <optional>
#include <string>
#include <string_view>

#include <ffnvcodec/dynlink_cuda.h>
#include <ffnvcodec/dynlink_nvcuvid.h>

#include "lib/process/dynamic_library.hpp"

namespace fovea::nvdec {

/// The functions that are used here, with the types of FFmpeg's copies of NVIDIA's headers.
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

/// Loads the libraries at the first call. If they are missing, all functions are null; see nvdec_library().
const Api& api();

/// CUDA_ERROR_INVALID_VALUE, which FFmpeg's headers do not name.
constexpr auto invalid_value = static_cast<CUresult>(1);

/// CUDA's name for an error, e.g. "CUDA_ERROR_INVALID_VALUE".
std::string error_name(CUresult status);
/// Checks a call's status. \param doing the task, for the message.
/// \throws DeviceError naming the GPU, the task and CUDA's name for the error.
void check(CUresult status, int gpu, const char* doing);

/// NVDEC's number for a codec by FFmpeg's name; nothing if NVDEC does not decode it, or not to the
/// CPU's frames.
std::optional<cudaVideoCodec> codec_of(std::string_view name);
/// The bits of a sample in a pixel format by FFmpeg's name; 0 if the format is not taken (only 4:2:0 is).
int bits_of(std::string_view pixel_format);

/// The limits of a GPU's decoder for a codec with 4:2:0. The driver is asked once for each GPU, codec and
/// number of bits. \throws DeviceError
CUVIDDECODECAPS capabilities(int gpu, cudaVideoCodec codec, int bits);
/// True if coded pictures of this size are within the limits.
bool is_within(const CUVIDDECODECAPS& limits, unsigned width, unsigned height);

}  // namespace fovea::nvdec
