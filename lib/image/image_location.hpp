#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include "lib/video/video_source.hpp"

namespace fovea {

/// The place of an image: a file of its own, or a frame of a video.
struct ImageLocation {
    std::filesystem::path file;
    std::optional<VideoFrame> frame{};

    ImageLocation() = default;
    ImageLocation(std::filesystem::path image) : file(std::move(image)) {}
    ImageLocation(std::filesystem::path image, std::optional<VideoFrame> of_video)
        : file(std::move(image)), frame(std::move(of_video)) {}

    /// The place for messages: the file, with the number of the frame.
    std::string text() const { return frame ? frame_name(file.string(), frame->number) : file.string(); }
};

}  // namespace fovea
