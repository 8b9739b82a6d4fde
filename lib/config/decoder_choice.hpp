#pragma once

#include <optional>
#include <string>

#include "lib/config/config.hpp"
#include "lib/image/nvjpeg.hpp"
#include "lib/json/json_fwd.hpp"

namespace fovea {

/// Who decodes the JPEG files of a job.
struct ChosenDecoder {
    std::optional<NvJpegBackend> nvjpeg;  ///< none: the CPU decodes all
    bool mixed = false;                   ///< see DetectImagesOptions

    /// "cpu", "nvjpeg" or "mixed".
    std::string name() const;
    /// The cause of the grey values: the decoder's name, and for nvJPEG the backend and the library's
    /// version.
    Json to_json() const;
};

/// \param resident  images can stay on GPUs from decoding to results: detection runs there.
/// \param annotated  the images are those of an annotated set.
/// \throws UsageError if nvJPEG is asked for and cannot be had, with the reason.
ChosenDecoder choose_decoder(const ImageConfig& config, const DetectionDevice& device, bool resident,
                             bool annotated);

}  // namespace fovea
