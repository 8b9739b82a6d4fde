// Which videos the decoders of a GPU take.

#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <tuple>

#include "kernels/core/gpu_device.hpp"
#include "lib/video/nvdec.hpp"
#include "lib/video/nvdec_api.hpp"

namespace fovea {
namespace nvdec {

std::optional<cudaVideoCodec> codec_of(std::string_view name) {
    if (name == "h264") return cudaVideoCodec_H264;
    if (name == "hevc") return cudaVideoCodec_HEVC;
    if (name == "vp8") return cudaVideoCodec_VP8;
    if (name == "vp9") return cudaVideoCodec_VP9;
    if (name == "av1") return cudaVideoCodec_AV1;
    return std::nullopt;
}

int bits_of(std::string_view pixel_format) {
    if (pixel_format == "yuv420p" || pixel_format == "yuvj420p") return 8;
    if (pixel_format == "yuv420p10le") return 10;
    if (pixel_format == "yuv420p12le") return 12;
    return 0;
}

CUVIDDECODECAPS capabilities(int gpu, cudaVideoCodec codec, int bits) {
    static std::mutex mutex;
    static std::map<std::tuple<int, cudaVideoCodec, int>, CUVIDDECODECAPS> known;
    const std::lock_guard lock(mutex);
    const std::tuple key(gpu, codec, bits);
    if (const auto found = known.find(key); found != known.end()) return found->second;
    cuda_backend::select(gpu);
    CUVIDDECODECAPS asked{};
    asked.eCodecType = codec;
    asked.eChromaFormat = cudaVideoChromaFormat_420;
    asked.nBitDepthMinus8 = static_cast<unsigned>(bits - 8);
    check(api().get_caps(&asked), gpu, "asking what its video decoders take");
    return known.emplace(key, asked).first->second;
}

bool is_within(const CUVIDDECODECAPS& limits, unsigned width, unsigned height) {
    return width >= limits.nMinWidth && height >= limits.nMinHeight && width <= limits.nMaxWidth &&
           height <= limits.nMaxHeight && (width + 15) / 16 * ((height + 15) / 16) <= limits.nMaxMBCount;
}

}  // namespace nvdec

namespace {

// Inverse transforms of these are not laid down to the last bit, and every decoder rounds its own.
constexpr std::array<std::string_view, 14> codecs_that_round{
    "mjpeg", "mpeg1video", "mpeg2video", "mpeg4", "msmpeg4v1", "msmpeg4v2", "msmpeg4v3",
    "vc1",   "wmv1",       "wmv2",       "wmv3",  "h263",      "h263p",     "flv1"};

// Other profiles have tools that the chip lacks, even where their frames are 4:2:0.
bool is_profile_taken(const VideoFacts& facts) {
    const std::string& profile = facts.profile;
    if (facts.codec == "h264") {
        return profile == "Constrained Baseline" || profile == "Baseline" || profile == "Main" ||
               profile == "High" || profile == "High 10" || profile == "High 10 Intra";
    }
    if (facts.codec == "hevc") {
        return profile == "Main" || profile == "Main 10" || profile == "Main Still Picture" ||
               (profile == "Rext" && facts.bits == 12);
    }
    return true;
}

std::string size_text(unsigned width, unsigned height) {
    return std::to_string(width) + "x" + std::to_string(height);
}

// A reason that lies in the video alone.
std::string why_not_by_any(const VideoSource& video) {
    const VideoFacts& facts = video.facts;
    if (video.counted_by_decoding) return "its frames were counted by decoding, and are found by number";
    if (!has_square_pixels(facts)) return "its pixels are not square, and its frames are stretched";
    if (std::find(codecs_that_round.begin(), codecs_that_round.end(), facts.codec) != codecs_that_round.end())
        return "decoders of " + facts.codec + " round in their own ways: a GPU's frames may differ";
    if (!nvdec::codec_of(facts.codec)) return "GPUs have no decoder for " + facts.codec;
    if (!is_profile_taken(facts)) {
        return "GPUs have no decoder for " + facts.codec + " of " +
               (facts.profile.empty() ? "an unknown profile" : "the profile " + facts.profile);
    }
    if (nvdec::bits_of(facts.pixel_format) == 0) {
        return "its pixel format " + (facts.pixel_format.empty() ? "is unknown" : facts.pixel_format) +
               ": only 4:2:0 of 8, 10 or 12 bits is decoded on a GPU";
    }
    return {};
}

std::string why_not_the_size(const VideoFacts& facts, const CUVIDDECODECAPS& limits) {
    // Coded pictures consist of whole blocks.
    const unsigned block = facts.codec == "h264" || facts.codec == "vp8" ? 16 : facts.codec == "hevc" ? 8 : 2;
    const auto rounded = [](int side, unsigned to) {
        return (static_cast<unsigned>(side) + to - 1) / to * to;
    };
    const unsigned width = rounded(facts.width, block), height = rounded(facts.height, block);
    if (nvdec::is_within(limits, width, height)) return {};
    return "its frames have " + size_text(width, height) + " pixels, the GPU's decoders take " +
           size_text(limits.nMinWidth, limits.nMinHeight) + " to " +
           size_text(limits.nMaxWidth, limits.nMaxHeight) + " and no more than " +
           std::to_string(limits.nMaxMBCount) + " blocks of 16x16";
}

}  // namespace

int nvdec_engines(int gpu) {
    if (!nvdec_library().loaded) return 0;
    // Every chip with engines decodes H.264.
    return nvdec::capabilities(gpu, cudaVideoCodec_H264, 8).nNumNVDECs;
}

std::string why_not_by_nvdec(const VideoSource& video, int gpu) {
    if (std::string why = why_not_by_any(video); !why.empty()) return why;
    if (!nvdec_library().loaded) return nvdec_library().why_none;
    const int bits = nvdec::bits_of(video.facts.pixel_format);
    CUVIDDECODECAPS limits{};
    try {
        limits = nvdec::capabilities(gpu, *nvdec::codec_of(video.facts.codec), bits);
    } catch (const DeviceError& error) {
        return error.what();
    }
    const unsigned output = bits == 8 ? cudaVideoSurfaceFormat_NV12 : cudaVideoSurfaceFormat_P016;
    if (limits.bIsSupported == 0 || (limits.nOutputFormatMask >> output & 1) == 0) {
        return "cuda:" + std::to_string(gpu) + " has no decoder for " + video.facts.codec + " of " +
               std::to_string(bits) + " bits";
    }
    return why_not_the_size(video.facts, limits);
}

}  // namespace fovea
