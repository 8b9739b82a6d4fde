#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "lib/bench/archive_images.hpp"

namespace fovea {

/// A job on thumbnails, one of them a TIFF of hundreds of megapixels.
struct LargeJobRequest {
    std::vector<std::string> command;  ///< program, "detect" and flags; not the images, --out
    std::filesystem::path work;
    std::size_t thumbnails = 300;
    Size large{20000, 15000};
    std::uint64_t seed = 1;
};

struct LargeJobResult {
    static constexpr std::uint64_t allowed_bytes = std::uint64_t{2} << 30;

    std::uint64_t peak_memory_bytes = 0;
    double seconds = 0;
    std::size_t images = 0;
    Size large;
    std::vector<std::string> command;
    bool interrupted = false;

    /// Memory stayed within its bounds.
    bool passed() const { return peak_memory_bytes <= allowed_bytes; }
};

/// Size of the thumbnails of jobs that are broken or watched.
inline constexpr Size thumbnail_size{160, 120};

/// Writes the images into the folder and runs the job. \throws Error with the program's own words if it
/// fails.
LargeJobResult run_large_job(const LargeJobRequest& request, const std::vector<ArchiveSource>& sources,
                             const JobHooks& hooks);

}  // namespace fovea
