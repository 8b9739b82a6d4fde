#include "lib/config/decoder_choice.hpp"

#include <spdlog/spdlog.h>

#include "kernels/core/device.hpp"
#include "lib/core/error.hpp"
#include "lib/json/json.hpp"

namespace fovea {
namespace {

// Why a GPU cannot decode so; empty if it can.
std::string problem_of(int gpu, NvJpegBackend backend) {
    try {
        start_nvjpeg(Device::cuda(gpu), backend);
        return {};
    } catch (const NvJpegUnavailable& error) {
        return error.what();
    }
}

std::string problem_of(const DetectionDevice& device, NvJpegBackend backend) {
    for (const int gpu : device.gpus) {
        if (std::string problem = problem_of(gpu, backend); !problem.empty()) return problem;
    }
    return {};
}

}  // namespace

std::string ChosenDecoder::name() const {
    return !nvjpeg ? "cpu" : mixed ? "mixed" : "nvjpeg";
}

Json ChosenDecoder::to_json() const {
    Json json{{"name", name()}};
    if (!nvjpeg) return json;
    json["backend"] = *nvjpeg == NvJpegBackend::engines ? "JPEG engines" : "multiprocessors";
    json["nvjpeg"] = nvjpeg_library().version;
    return json;
}

ChosenDecoder choose_decoder(const ImageConfig& config, const DetectionDevice& device, bool resident,
                             bool annotated) {
    if (config.decoder == DecoderChoice::cpu) return {};
    const bool demanded = config.decoder == DecoderChoice::nvjpeg;
    if (annotated && !demanded) return {};
    if (!resident) {
        if (!demanded) return {};
        throw UsageError(device.is_cuda() ? "nvJPEG decodes for detectors on GPUs alone, and here are "
                                            "annotated boxes as well; use --decoder cpu"
                                          : "nvJPEG decodes for detection on a GPU, but it runs on the CPU; "
                                            "use --device cuda or --decoder cpu");
    }
    if (config.scaled_decoding) {
        if (!demanded) return {};
        throw UsageError("nvJPEG decodes pictures in full size; use --decoder cpu with --scaled-decoding");
    }
    const std::string no_engines = problem_of(device, NvJpegBackend::engines);
    if (no_engines.empty()) return {NvJpegBackend::engines, config.allow_mixed_decoders};
    // Without engines a GPU leaves half of the work to the CPU, which then decodes as fast itself.
    if (!demanded) {
        spdlog::debug("decoding on the CPU: {}", no_engines);
        return {};
    }
    const std::string problem = problem_of(device, NvJpegBackend::multiprocessors);
    if (!problem.empty()) throw UsageError(problem + "; use --decoder cpu");
    return {NvJpegBackend::multiprocessors, false};
}

}  // namespace fovea
