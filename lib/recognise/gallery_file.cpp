#include "lib/recognise/gallery_file.hpp"

#include <cmath>
#include <stdexcept>
#include <unordered_map>

#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/files/folder.hpp"
#include "lib/recognise/gallery_contents.hpp"

namespace fovea {
namespace {

std::string box_text(const Box& box, const char* separator) {
    return shortest_number(box.x) + separator + shortest_number(box.y) + separator + shortest_number(box.w) +
           separator + shortest_number(box.h);
}

void check_places(const GalleryFace& face) {
    if (face.box && !(is_finite({face.box->x, face.box->y}) && is_finite({face.box->w, face.box->h}))) {
        throw std::invalid_argument("the box of " + describe_face(face) + " is not finite");
    }
    if (face.eyes && !(is_finite(face.eyes->left) && is_finite(face.eyes->right))) {
        throw std::invalid_argument("the eyes of " + describe_face(face) + " are not finite");
    }
}

}  // namespace

Gallery read_gallery(const std::filesystem::path& file) {
    GalleryRecordReader reader(file);
    GalleryContents contents(file, reader.header());
    std::map<std::size_t, std::vector<std::uint16_t>> features;
    contents.read(reader, [&](const GalleryRecord& record, std::size_t number) {
        if (record.kind == GalleryRecordKind::removal) {
            features.erase(number);
        } else {
            features.emplace(number, unpacked_words(record.data, contents.length()));
        }
    });
    Gallery gallery;
    gallery.info = contents.info();
    for (const auto& [number, face] : contents.faces()) {
        gallery.numbers.push_back(number);
        gallery.faces.push_back(face);
        gallery.faces.back().features = std::move(features.at(number));
    }
    return gallery;
}

GalleryInfo gallery_info(const std::filesystem::path& file) {
    GalleryRecordReader reader(file);
    GalleryContents contents(file, reader.header());
    contents.read(reader, [](const GalleryRecord&, std::size_t) {});
    return contents.info();
}

std::string gallery_face_key(const GalleryFace& face) {
    return valid_utf8(face.dataset) + '\0' + valid_utf8(face.image) + '\0' +
           (face.box ? box_text(*face.box, " ") : std::string());
}

std::string describe_face(const GalleryFace& face) {
    std::string text = "'" + excerpt(face.image) + "' of '" + excerpt(face.dataset) + "'";
    if (face.box) text += ", box [" + box_text(*face.box, ", ") + "]";
    return text;
}

class GalleryWriter::Implementation {
  public:
    Implementation(const std::filesystem::path& file, GallerySyncInterval interval)
        : appender_(
              file, [&](GalleryRecordReader& reader) { read(file, reader); }, interval) {}

    bool append(const GalleryFace& face) {
        if (face.features.size() != contents_->length()) {
            throw std::invalid_argument(counted(face.features.size(), "count") + " of " +
                                        describe_face(face) + ", where the gallery's recogniser has " +
                                        std::to_string(contents_->length()));
        }
        check_places(face);
        std::string key = gallery_face_key(face);
        if (faces_of_key_.contains(key)) return false;
        appender_.append(GalleryRecordKind::face, face_metadata(face), packed_words(face.features));
        ++faces_of_key_[std::move(key)];
        contents_->add(face);
        return true;
    }

    void remove(std::size_t number) {
        const std::string key = gallery_face_key(contents_->faces().at(number));
        appender_.append(GalleryRecordKind::removal, removal_metadata(number), "");
        if (--faces_of_key_[key] == 0) faces_of_key_.erase(key);
        contents_->remove(number);
    }

    void finish() { appender_.finish(); }
    const GalleryContents& contents() const { return *contents_; }

  private:
    void read(const std::filesystem::path& file, GalleryRecordReader& reader) {
        contents_.emplace(file, reader.header());
        contents_->read(reader, [](const GalleryRecord&, std::size_t) {});
        for (const auto& [number, face] : contents_->faces()) ++faces_of_key_[gallery_face_key(face)];
    }

    std::optional<GalleryContents> contents_;
    std::unordered_map<std::string, std::size_t> faces_of_key_;
    GalleryAppender appender_;  // reads into the others when it is made
};

GalleryWriter::GalleryWriter(const std::filesystem::path& file, GallerySyncInterval interval)
    : implementation_(std::make_unique<Implementation>(file, interval)) {}

GalleryWriter::GalleryWriter(const std::filesystem::path& file, const RecogniserConfig& recogniser,
                             GallerySyncInterval interval) {
    if (!is_there(file)) create_gallery_file(file, gallery_header(recogniser));
    implementation_ = std::make_unique<Implementation>(file, interval);
    const std::string fingerprint = feature_fingerprint(recogniser);
    if (info().fingerprint != fingerprint) {
        throw UsageError("The gallery '" + file.string() + "' is of the recogniser '" +
                         info().recogniser.name + "', fingerprint " + info().fingerprint +
                         ", and cannot take faces of '" + recogniser.name + "', fingerprint " + fingerprint +
                         ": their features cannot be compared. Name another gallery, or no recogniser.");
    }
}

GalleryWriter::~GalleryWriter() = default;
GalleryWriter::GalleryWriter(GalleryWriter&&) noexcept = default;
GalleryWriter& GalleryWriter::operator=(GalleryWriter&&) noexcept = default;

const GalleryInfo& GalleryWriter::info() const {
    return implementation_->contents().info();
}

const std::map<std::size_t, GalleryFace>& GalleryWriter::faces() const {
    return implementation_->contents().faces();
}

bool GalleryWriter::append(const GalleryFace& face) {
    return implementation_->append(face);
}

void GalleryWriter::remove(std::size_t number) {
    implementation_->remove(number);
}

void GalleryWriter::finish() {
    implementation_->finish();
}

}  // namespace fovea
