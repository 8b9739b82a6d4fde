#pragma once

#include <cstddef>

#include "lib/job/job_material.hpp"
#include "lib/job/stages/detect_images.hpp"

namespace fovea {

/// The host memory that a job may take, and what needs memory in it. A megabyte is 2^20 bytes.
struct MemoryRequest {
    double limit_megabytes = 2048;
    double prefetch_megabytes = 256;  ///< read or decoded images that may wait, if the limit allows
    std::size_t images = 0;           ///< in the whole list
    int threads = 1;                  ///< of detection
    bool with_gpus = false;           ///< detection runs on GPUs
    std::size_t video_packets = 0;    ///< of the video that has the most; 0 = there are only pictures
    bool follows = false;             ///< faces are followed from frame to frame
};

/// The memory that a job may take, megabytes: the configuration's limit, and at most three quarters of what
/// host_limits() allow.
double usable_megabytes(const RunConfig& config);

/// Bytes that unpacking an archive may take within a limit.
std::size_t unpacker_bytes(double limit_megabytes);

/// Divides the memory among the stages of detect_images, and sets how many images a batch takes; all other
/// options have their defaults. If faces are followed, host_bytes are those of the frames that wait on the
/// host until the faces in them have been.
DetectImagesOptions plan_memory(const MemoryRequest& request);

/// Plans how a job reads its images: memory, threads and decoding, and which videos the GPUs decode.
/// \param is_resident images stay on the GPUs from decoding to results. \param follows as of MemoryRequest.
/// \throws UsageError if NVDEC is demanded and cannot be had.
DetectImagesOptions plan_reading(const JobMaterial& job, bool is_resident, bool follows);

/// Limits the memory that videos take of this process; to be called before their frames are listed.
void limit_video_memory(const RunConfig& config);

}  // namespace fovea
