#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "lib/recognise/gallery_file.hpp"

namespace fovea {

class FieldVisitor;

/// The sum of the records of a gallery, read one after the other.
class GalleryContents {
  public:
    /// \param header the file's header text. \throws Error naming the file if it is no gallery of
    /// this program.
    GalleryContents(const std::filesystem::path& file, const std::string& header);

    /// Reads all records. \param handle is called for each record of a face or a removal, with the number of
    /// that face. \throws what the reader throws; Error for a record that makes no sense.
    void read(GalleryRecordReader& reader,
              const std::function<void(const GalleryRecord& record, std::size_t number)>& handle);
    /// Adds a face that was appended.
    void add(GalleryFace face);
    /// Removes a face. \return false if there is no face of that number.
    bool remove(std::size_t number);

    const GalleryInfo& info() const { return info_; }
    std::size_t length() const { return length_; }
    /// The faces by number, without features.
    const std::map<std::size_t, GalleryFace>& faces() const { return faces_; }

  private:
    std::size_t take(const GalleryRecord& record, const GalleryRecordReader& reader);

    GalleryInfo info_;
    std::size_t length_ = 0;
    std::size_t last_number_ = 0;
    std::map<std::size_t, GalleryFace> faces_;
};

/// A gallery's header text. \throws std::invalid_argument as feature_fingerprint.
std::string gallery_header(const RecogniserConfig& recogniser);

/// A face as the metadata of its record have it: without features.
void describe(FieldVisitor& visitor, GalleryFace& face);

/// The metadata of a face's record.
std::string face_metadata(const GalleryFace& face);
/// One byte each where all are at most 255, else two, little-endian.
std::string packed_words(const std::vector<std::uint16_t>& words);
/// The reverse. \param data of `length` bytes, or twice as many.
std::vector<std::uint16_t> unpacked_words(const std::string& data, std::size_t length);

/// The metadata of a removal's record.
std::string removal_metadata(std::size_t number);

}  // namespace fovea
