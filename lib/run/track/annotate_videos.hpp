#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "lib/config/config.hpp"
#include "lib/core/job_hooks.hpp"
#include "lib/inputs/image_list.hpp"
#include "lib/run/track/frame_sequence.hpp"

namespace fovea {

struct AnnotateOptions {
    const RunConfig& config;
    std::size_t max_bytes = 0;  ///< of a video's decoder; 0 = no limit
    bool on_gpu = false;        ///< NVENC encodes, where it is there
    JobProgress progress{};     ///< all that there is to do; hooks are told how much of it is done
};

struct AnnotatedVideos {
    std::string encoder;             ///< FFmpeg's name; empty if nothing was written
    std::vector<std::string> notes;  ///< sentences about sound that was left out
};

/// Writes each sequence as a video with its faces drawn in, and with its sound, as it is stored. The file
/// begins at time 0. Frames of another size are fitted into the size of the first; frames that cannot be read
/// are left out. \param results results.jsonl of these images, a line for each in their order. \param files
/// one for each sequence, replaced if it is there: Matroska if it ends in .mkv, else MP4; empty: the sequence
/// is passed over. If the work is cancelled, the videos before stay. \throws Error if results are of other
/// images, or a file cannot be written; UsageError without an encoder.
AnnotatedVideos annotate_videos(const ImageList& images, const std::vector<FrameSequence>& sequences,
                                const std::filesystem::path& results,
                                const std::vector<std::filesystem::path>& files,
                                const AnnotateOptions& options, const JobHooks& hooks);

}  // namespace fovea
