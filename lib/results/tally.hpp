#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace fovea {

struct UnreadableImage {
    std::string image;  ///< as in Sample::image
    std::string reason;
};

/// The fate of images that were gone through.
struct ImageCounts {
    std::size_t images = 0;          ///< readable or not
    std::size_t damaged = 0;         ///< frames of videos that were decoded with errors
    std::size_t pages_left_out = 0;  ///< pages behind the first one of their file
    std::vector<UnreadableImage> unreadable{};

    /// Adds the counts of images that come behind these.
    void add(const ImageCounts& later);
};

/// The sums over the lines of a results file.
struct ResultsTally : ImageCounts {
    std::size_t detections = 0;
};

/// Sums up the lines in the first `bytes` of results.jsonl. \throws Error naming file and line if one is
/// no result.
ResultsTally tally_results(const std::filesystem::path& file, std::uint64_t bytes);

}  // namespace fovea
