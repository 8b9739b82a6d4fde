#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "lib/image/formats/decode.hpp"
#include "lib/inputs/image_list.hpp"
#include "lib/run/track/frame_sequence.hpp"

namespace fovea {

struct AnnotateOptions {
    DecodeOptions decode;
    std::size_t max_bytes = 0;  ///< of a video's decoder; 0 = no limit
    int threads = 0;            ///< of decoding; 0 = all cores
    /// How smoothly faces move over time (OneEuroFilter), from 0 = as they are to 1.
    double smoothing = 0;
    bool on_gpu = false;                              ///< NVENC encodes, where it is there
    std::function<void(std::size_t frame)> progress;  ///< with the number of frames written
    const std::atomic<bool>* cancel = nullptr;
};

/// Writes each sequence as an MP4 file with its faces drawn in. Frames of another size are fitted into the
/// size of the first; frames that cannot be read are left out.
/// \param results results.jsonl of these images, a line for each in their order.
/// \param files one for each sequence, replaced if it is there; empty: the sequence is passed over.
/// \return FFmpeg's name of the encoder; empty if nothing was written, or it was cancelled: then the videos
/// before stay.
/// \throws Error if results are of other images, or a file cannot be written; UsageError without an encoder.
std::string annotate_videos(const ImageList& images, const std::vector<FrameSequence>& sequences,
                            const std::filesystem::path& results,
                            const std::vector<std::filesystem::path>& files, const AnnotateOptions& options);

}  // namespace fovea
