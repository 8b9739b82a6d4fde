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
    /// The reason if the image could not be read; else empty.
    std::string unreadable{};
};

/// The detections of a detector in the images of a dataset. It never changes; copies share their data.
class Results {
  public:
    /// Reads results of any program: Fovea's JSON Lines, COCO, FDDB, WIDER FACE, VOC, CSV with a heading, or
    /// lines "name x y w h score". Images get the dataset's names.
    /// \param specification a path whose format is recognised, or "FORMAT:PATH".
    /// \throws UsageError if a file is not there; Error naming file, line and what was expected.
    Results(const std::string& specification, const Dataset& dataset);
    /// Takes the results of a list; images that are not in it are missing. \throws UsageError if an image has
    /// no name or stands twice.
    explicit Results(std::span<const ImageResult> images);

    /// The number of images.
    std::size_t size() const;
    /// The result of an image. \param index below size(). \throws std::out_of_range
    ImageResult image(std::size_t index) const;

    struct Data;
    /// For the library itself.
    const Data& data() const { return *data_; }

  private:
    std::shared_ptr<const Data> data_;
};

/// The line of a result in a file of results (JSON Lines), without the newline: the bytes that the program
/// writes. Numbers read back as the same double. \throws Error if a number is not finite.
std::string json_line(const ImageResult& result);

/// Writes a file of lines of json_line(), whole or not at all. \throws Error if it cannot be written.
void write_results(const std::filesystem::path& file, std::span<const ImageResult> results);

}  // namespace fovea::api
