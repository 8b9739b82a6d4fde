#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lib/image/gpu_images.hpp"
#include "lib/image/loaded_image.hpp"
#include "lib/video/part_reader.hpp"

namespace fovea {

/// Results of one detector in the images of a batch, ready to be written.
struct BatchOutput {
    std::string lines;                    ///< of its results file
    std::vector<std::uint16_t> features;  ///< of its feature file
    std::size_t detections = 0;
    std::size_t crops = 0;
    double detect_seconds = 0;
};

/// A frame that is wanted, by its place in the job's list.
struct WantedFrame {
    std::size_t index = 0;
    std::int64_t time_stamp = 0;
};

/// A part of a video that a GPU is to decode, with those of its frames that are wanted, in the order
/// of display.
struct FramePart {
    VideoPart part;
    std::vector<WantedFrame> wanted;
};

/// Images that go through the stages together.
///
/// A part of a video is one batch until a GPU decodes it. It then goes on in pieces, so that neither memory
/// nor time depends on the number of its frames.
struct Batch {
    std::size_t number = 0;  ///< from 0 on, in the order of the images
    std::size_t piece = 0;   ///< from 0 on, within the batch of that number
    bool is_last_piece = true;
    std::vector<LoadedImage> images{};
    std::optional<FramePart> frames{};  ///< in place of images, before they are decoded
    std::size_t host_bytes = 0;         ///< that the images take on the host
    /// The images on a GPU; null: they are on the host.
    std::unique_ptr<ResidentImages> resident{};
    std::vector<BatchOutput> outputs{};  ///< parallel to the detectors
};

}  // namespace fovea
