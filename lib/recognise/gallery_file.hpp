#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lib/core/types.hpp"
#include "lib/json/json.hpp"
#include "lib/recognise/gallery_append.hpp"
#include "lib/recognise/recogniser_config.hpp"

// Galleries as files of records (gallery_records.hpp), which lib/recognise/README.md documents:
//
// - text of the header: {"recogniser": as recogniser_config_to_json, "feature_fingerprint": "..."}
// - metadata of "FACE": {"subject", "image", "dataset", "box": [x, y, w, h], "eyes": [[x, y], [x, y]],
//   "quality": {...}, "found_by"}; what is unknown is left out
// - data of "FACE": the words of the face's features, in one byte each where they all fit, else in two
// - metadata of "GONE": {"number": of the face that was removed}
//
// Faces are numbered from 1 in the order in which they were enrolled, removed ones included.
namespace fovea {

/// A face in a gallery. Texts that are not UTF-8 are kept as valid_utf8() gives them.
struct GalleryFace {
    std::string subject;  ///< empty = unknown
    std::string image;    ///< name in its dataset
    std::string dataset;  ///< as the user named it
    std::optional<Box> box;
    std::optional<Eyes> eyes;
    Json quality;  ///< an object or null, see EnrolledFace
    /// Says how faces were looked for: equal for equal work; empty = unknown.
    std::string found_by;
    std::vector<std::uint16_t> features;  ///< as many words as the recogniser's metric has
};

/// The content of a gallery file besides its faces.
struct GalleryInfo {
    std::filesystem::path file;
    int version = 0;
    RecogniserConfig recogniser;
    std::string fingerprint;  ///< feature_fingerprint(recogniser)
    std::size_t faces = 0;    ///< that were not removed
    std::size_t removed = 0;
    std::size_t subjects = 0;                               ///< different names
    std::map<std::string, std::size_t> faces_of_subject{};  ///< "" = unknown
    std::uint64_t bytes = 0;
    /// Bytes that an unfinished write left at the end; the next write overwrites them.
    std::uint64_t torn_bytes = 0;
    /// False if the last writer was interrupted, or the file was cut off between two records.
    bool finished = true;
};

/// All that a gallery file holds.
struct Gallery {
    GalleryInfo info;
    std::vector<GalleryFace> faces;    ///< in the order of enrolment, without removed ones
    std::vector<std::size_t> numbers;  ///< of the faces, in the file
};

/// Reads a gallery with all its faces. \throws UsageError if there is no such file; Error if it cannot be
/// read, is no gallery, or is damaged: what, in which record, at which byte, and what to do.
Gallery read_gallery(const std::filesystem::path& file);

/// Reads a gallery's info alone, but reads and checks every byte as read_gallery() does.
GalleryInfo gallery_info(const std::filesystem::path& file);

/// Equal for faces of the same dataset, image and box.
std::string gallery_face_key(const GalleryFace& face);

/// For messages: "'a.jpg' of 'folder:photos', box [1, 2, 30, 40]", without control characters.
std::string describe_face(const GalleryFace& face);

/// Appends faces to a gallery file, or removes some. While it lives no other program can.
class GalleryWriter {
  public:
    /// Opens a gallery. \throws as GalleryAppender and read_gallery.
    explicit GalleryWriter(const std::filesystem::path& file, GallerySyncInterval interval = {});
    /// Opens a gallery, or makes one if there is none. \throws as the other constructor; UsageError naming
    /// both fingerprints if the gallery's features cannot be compared with this recogniser's.
    GalleryWriter(const std::filesystem::path& file, const RecogniserConfig& recogniser,
                  GallerySyncInterval interval = {});
    ~GalleryWriter();
    GalleryWriter(GalleryWriter&&) noexcept;
    GalleryWriter& operator=(GalleryWriter&&) noexcept;

    /// The gallery's present state, but `bytes` is the size of the file when it was opened.
    const GalleryInfo& info() const;
    /// The faces by number, without features.
    const std::map<std::size_t, GalleryFace>& faces() const;

    /// Appends a face, unless there is one of the same dataset, image and box. \return whether it
    /// was appended.
    /// \throws std::invalid_argument for features of a length that is not the recogniser's, and for a box or
    /// eyes that are not finite; Error as GalleryAppender::append.
    bool append(const GalleryFace& face);

    /// Removes the face of that number. \throws std::out_of_range if there is none; Error
    /// as GalleryAppender::append.
    void remove(std::size_t number);

    /// Makes sure that everything is on the disk. \throws Error as GalleryAppender::append.
    void finish();

  private:
    class Implementation;
    std::unique_ptr<Implementation> implementation_;
};

}  // namespace fovea
