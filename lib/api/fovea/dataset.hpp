#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <fovea/types.hpp>

namespace fovea::api {

/// A face as annotated.
struct AnnotatedFace {
    Box box;
    bool ignore = false;  ///< counts neither as a face nor, when detected, as a false alarm
    std::vector<Point> landmarks{};
};

/// An image with its faces.
struct AnnotatedImage {
    std::string name;  ///< the key of its results
    Size size{};       ///< 0 × 0: unknown
    std::vector<AnnotatedFace> faces{};
    /// The file; empty for images that are known by name alone.
    std::filesystem::path file{};
    bool is_annotated = true;  ///< `faces` has all faces of the image, possibly none
};

/// The part of a dataset that is read.
struct DatasetOptions {
    std::string pattern{};         ///< glob of images' names, e.g. "*.jpg"; empty: all
    std::size_t limit = 0;         ///< the first so many images; 0: all
    std::filesystem::path root{};  ///< the folder of a list's images; empty: the list's own folder
};

/// Images with annotated faces. It never changes; copies share their data.
class Dataset {
  public:
    /// \param specification "FORMAT:PATH" ("coco:faces.json", "wider:DIR", "voc:DIR", "fddb:DIR") or a path
    /// whose format is recognised; the guide datasets.md lists them all.
    /// \throws UsageError for an unknown format or a path that is not there; Error if a file is broken: file,
    /// line, what was expected.
    explicit Dataset(const std::string& specification, const DatasetOptions& options = {});
    /// The images of a list in its order. \throws UsageError if a name is empty or stands twice, or a box is
    /// not finite.
    explicit Dataset(const std::vector<AnnotatedImage>& images);

    /// The number of images.
    std::size_t size() const;
    /// An image. \param index below size(). \throws std::out_of_range
    AnnotatedImage image(std::size_t index) const;
    /// The number of annotated faces that are not ignored.
    std::size_t face_count() const;
    /// "coco", "wider", ...; "list" for images of a list.
    std::string format() const;
    /// Sentences that a user should read, on faults of the files.
    std::vector<std::string> warnings() const;

    struct Data;
    /// For the library itself.
    const Data& data() const { return *data_; }

  private:
    std::shared_ptr<const Data> data_;
};

}  // namespace fovea::api
