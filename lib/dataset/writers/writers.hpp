#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <pugixml.hpp>

#include "lib/core/losses.hpp"
#include "lib/dataset/dataset.hpp"
#include "lib/dataset/image_id.hpp"
#include "lib/dataset/image_size_lookup.hpp"
#include "lib/files/publish.hpp"

// The parts that the writers of datasets share. Each writer has a file of its own, whose function is in the
// table of formats (lib/dataset/formats/dataset_formats.cpp).
namespace fovea {

using Losses = std::vector<std::string>;

/// A dataset in another format, with the numbers of its images and faces.
struct WrittenDataset : OutputFiles {
    std::size_t images = 0;
    std::size_t faces = 0;  ///< ignored ones included
};

/// Writes a dataset in one format. \param dataset without the faces that the format has no place for
/// (DatasetFields::left_out, and ignored ones). \param losses receives a sentence for each kind of lost thing
/// that warn_unsupported_fields() does not tell. \throws as render_dataset()
using DatasetWriter = WrittenDataset(const Dataset& dataset, const ImageSizeLookup& size_of, Losses& losses);

/// An attribute that a format has a place for.
struct FormatAttribute {
    std::string_view name;
    std::vector<std::string_view> values{};  ///< values that it keeps; empty: all
};

/// Faces that a format has no place for.
struct LeftOutFaces {
    bool (*are)(const Face& face) = nullptr;  ///< null: none
    std::string_view why{};                   ///< a clause for the warning
};

/// The parts of a dataset that a format has a place for, or whose loss its writer tells itself.
struct DatasetFields {
    bool faces = true;              ///< false: no faces at all, which the writer tells
    bool unannotated = false;       ///< images that are not annotated
    bool ignored = false;           ///< faces marked ignore, with the mark; else they are left out
    bool ignored_unmarked = false;  ///< faces marked ignore, without the mark
    bool crowds = false;            ///< the mark of crowds; else they are ignored faces
    bool subjects = false;
    bool image_eyes = false;
    bool face_eyes = false;
    bool landmarks = false;
    bool keypoints = false;  ///< the visibility of landmarks
    bool ellipses = false;
    bool areas = false;
    bool sizes = false;
    bool pairs = false;
    bool all_attributes = false;
    std::vector<FormatAttribute> attributes{};  ///< of faces and images
    LeftOutFaces left_out{};

    bool images_alone = false;       ///< it is read as images without annotation unless an option says more
    bool is_for_annotation = false;  ///< a dataset without annotation is refused
    bool needs_sizes = false;        ///< sizes of images are written, or needed to write boxes
};

/// True for a face that counts neither as a face nor as a false positive: marked ignore, or a crowd.
bool is_ignored(const Face& face);

// Faces that some formats have no place for.
extern const LeftOutFaces boxes_without_area;
extern const LeftOutFaces boxes_without_pixels;  ///< boxes that vanish when rounded to whole pixels
extern const LeftOutFaces boxes_of_negative_size;
extern const LeftOutFaces ellipses_without_area;  ///< or, without an ellipse, boxes without area
extern const LeftOutFaces faces_without_landmarks;

/// The files with the numbers of annotated images and faces in them. \param written the dataset without
/// left-out parts.
WrittenDataset counted_dataset(OutputFiles files, const Dataset& written);

/// The part of a dataset that a format has a place for. \param losses receives a sentence for faces that are
/// left out.
Dataset dataset_to_write(Dataset dataset, const DatasetFields& held, Losses& losses);

/// Adds one sentence for each kind of thing in the dataset that the format does not hold.
void warn_unsupported_fields(const Dataset& dataset, const DatasetFields& held, Losses& losses);

/// The image ids of a dataset in COCO JSON, parallel to its samples: their attributes "id" if all have one
/// and all differ; else 1, 2, ...
std::vector<RecordId> coco_image_ids(const Dataset& dataset);

/// The size of an image: as the annotation states it, else as `size_of` gives it.
std::optional<ImageSize> size_of_sample(const Sample& sample, const ImageSizeLookup& size_of);

/// The path of an image without its extension.
std::string name_without_extension(const std::string& image);

/// The image's path with another extension, for a file in an output folder. \throws Error if the image's name
/// leads out of the dataset's folder.
std::string path_beside(const std::string& image, std::string_view extension);

/// The image's path with an extension behind its own: photo.jpg.xmp. \throws Error as path_beside()
std::string path_behind(const std::string& image, std::string_view extension);

/// Checks that a name may begin a line, and returns it. \throws Error if it is empty, begins with '#', or has
/// line breaks or blanks at its ends.
const std::string& line_name(const std::string& image, std::string_view format);

/// Checks that a name may be a field of a line, and returns it. \throws Error if it has blanks, or begins
/// a comment.
const std::string& field_name(const std::string& image, std::string_view format);

/// shortest_number() of a coordinate. \throws Error naming the image if it is not finite.
std::string coordinate(double value, const std::string& image);

/// The nearest whole number, halves upwards.
double rounded_edge(double edge);

/// The edges of a box in whole pixels.
struct WholeBox {
    long long left = 0, top = 0, right = 0, bottom = 0;  ///< half-open, as Box
};
/// Rounds each edge of a box to the nearest whole number, halves upwards. \param rounded counts boxes
/// that changed.
/// \throws Error naming the image if an edge is not finite.
WholeBox whole_box(const Box& box, const std::string& image, LossCounter& rounded);

/// Checks that all files have different names. \throws Error
void require_unique_files(const OutputFiles& files, std::string_view format);

/// The text of an XML document, indented.
std::string xml_text(const pugi::xml_document& document);

}  // namespace fovea
