#pragma once

#include <optional>
#include <string>

#include "lib/config/config.hpp"
#include "lib/image/nvjpeg.hpp"
#include "lib/json/json_fwd.hpp"

namespace fovea {

/// The decoder of a job's JPEG files.
struct ChosenDecoder {
    std::optional<NvJpegBackend> nvjpeg;  ///< none: the CPU decodes all
    bool mixed = false;                   ///< see DetectImagesOptions

    /// "cpu", "nvjpeg" or "mixed".
    std::string name() const;
    /// All that grey values depend on: the decoder's name, and for nvJPEG the backend and the
    /// library's version.
    Json to_json() const;
};

/// Chooses the decoder of JPEG files: see DecoderChoice.
/// \param resident   detection runs on GPUs, so that images can stay there from decoding to results
/// \param annotated  the images are from an annotated set
/// \throws UsageError with the reason if nvJPEG is asked for and not available.
ChosenDecoder choose_decoder(const ImageConfig& config, const DetectionDevice& device, bool resident,
                             bool annotated);

}  // namespace fovea
