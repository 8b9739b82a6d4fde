#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <fovea/dataset.hpp>
#include <fovea/types.hpp>

namespace fovea::api {

/// The detections of an image.
struct ImageResult {
    std::string image;  ///< its name in the dataset
    Size size{};        ///< 0 × 0: unknown
    std::vector<Detection> detections{};
    /// Why the image could not be read; empty: it was.
    std::string unreadable{};
};

/// The detections of a detector in the images of a dataset. Copies share what they hold, which never changes.
class Results {
  public:
    /// Reads results of any program: Fovea's JSON Lines, COCO, FDDB, WIDER FACE, VOC, CSV with a heading, or
    /// lines "name x y w h score". Names are those of the dataset.
    /// \param specification a path whose format is recognised, or "FORMAT:PATH".
    /// \throws UsageError if a file is not there; Error naming file, line and what was expected.
    Results(const std::string& specification, const Dataset& dataset);
    /// The results of a list; an image that is not in it is missing. \throws UsageError if an image has no
    /// name or stands twice.
    explicit Results(std::span<const ImageResult> images);

    std::size_t size() const;  ///< images
    /// \param index below size(). \throws std::out_of_range
    ImageResult image(std::size_t index) const;

    struct Data;
    /// For the library itself.
    const Data& data() const { return *data_; }

  private:
    std::shared_ptr<const Data> data_;
};

/// The line of a result in a file of results (JSON Lines), without the newline: the bytes that the program
/// writes. Numbers read back to the same double. \throws Error if one is not finite.
std::string json_line(const ImageResult& result);

/// Writes a file of such lines, whole or not at all. \throws Error if it cannot be written.
void write_results(const std::filesystem::path& file, std::span<const ImageResult> results);

}  // namespace fovea::api
