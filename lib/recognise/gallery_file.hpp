#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "lib/core/types.hpp"
#include "lib/recognise/recogniser_config.hpp"

namespace fovea {

/// A face in a gallery.
struct GalleryFace {
    std::string subject;  ///< empty = unknown
    std::string image;    ///< name in its dataset
    std::string dataset;  ///< as the user named it
    std::optional<Box> box;
    std::optional<Eyes> eyes;
    Json quality;                       ///< an object, see EnrolledFace
    std::vector<std::uint16_t> counts;  ///< histogram_layout(config).bins of them
};

/// What a gallery file holds besides its faces.
struct GalleryInfo {
    std::filesystem::path file;
    int version = 0;
    RecogniserConfig recogniser;
    std::size_t faces = 0;  ///< that were not removed
    std::size_t removed = 0;
    std::size_t subjects = 0;  ///< different names
    std::uint64_t bytes = 0;
    std::uint64_t torn_bytes =
        0;  ///< at the end, of a write that was not finished; the next one overwrites them
};

}  // namespace fovea
