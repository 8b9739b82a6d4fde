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
#include "lib/files/output_files.hpp"

// The parts that the writers of datasets share. Each has a file of its own, whose function the table of
// formats names (lib/dataset/formats/dataset_formats.cpp).
namespace fovea {

using Losses = std::vector<std::string>;

/// A dataset in another format, and how much of it that is.
struct WrittenDataset : OutputFiles {
    std::size_t images = 0;
    std::size_t faces = 0;  ///< ignored ones included
};

/// Writes a dataset in one format. \param dataset without the faces that the format has no place for
/// (DatasetFields::left_out, and ignored ones). \param losses receives a sentence for each kind of thing that
/// is lost but is not among the fields, which warn_unsupported_fields tells. Errors as render_dataset.
using DatasetWriter = WrittenDataset(const Dataset& dataset, const ImageSizeLookup& size_of, Losses& losses);

/// An attribute that a format has a place for.
struct FormatAttribute {
    std::string_view name;
    std::vector<std::string_view> values{};  ///< that come back as they are; all of them if empty
};

/// Faces that a format has no place for.
struct LeftOutFaces {
    bool (*are)(const Face& face) = nullptr;  ///< null: none
    std::string_view why{};                   ///< a clause for the warning
};

/// The parts of a dataset that a format has a place for, or that its writer speaks of itself.
struct DatasetFields {
    bool faces = true;              ///< else nothing of them, which the writer says
    bool unannotated = false;       ///< images that are not annotated
    bool ignored = false;           ///< faces marked ignore, which are left out otherwise
    bool ignored_unmarked = false;  ///< these faces, but not the mark
    bool crowds = false;            ///< as such, not as ignored faces
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

    bool images_alone = false;       ///< it is read as images without annotation, if no option says more
    bool is_for_annotation = false;  ///< a dataset without any is refused
    bool needs_sizes = false;        ///< those of images are stated, or needed to state boxes
};

/// Neither counted as a face nor as a false positive: marked ignore, or a crowd.
bool is_ignored(const Face& face);

// Faces that some formats have no place for.
extern const LeftOutFaces boxes_without_area;
extern const LeftOutFaces boxes_without_pixels;  ///< of which nothing is left in whole pixels
extern const LeftOutFaces boxes_of_negative_size;
extern const LeftOutFaces ellipses_without_area;  ///< or boxes of those without an ellipse
extern const LeftOutFaces faces_without_landmarks;

/// The files with the numbers of the annotated images and their faces. \param written without what was left
/// out.
WrittenDataset counted_dataset(OutputFiles files, const Dataset& written);

/// The part that the format has a place for. \param losses receives a sentence for faces that are left out.
Dataset dataset_to_write(Dataset dataset, const DatasetFields& held, Losses& losses);

/// One sentence for each kind of thing in the dataset that the format does not hold.
void warn_unsupported_fields(const Dataset& dataset, const DatasetFields& held, Losses& losses);

/// The image ids of a dataset in COCO JSON, parallel to its samples: those of their attribute "id", as a COCO
/// file gave them, where all have one and no two the same; else counted from 1.
std::vector<RecordId> coco_image_ids(const Dataset& dataset);

/// The size that the annotation states, else the one looked up.
std::optional<ImageSize> size_of_sample(const Sample& sample, const ImageSizeLookup& size_of);

/// The path of an image without its extension.
std::string name_without_extension(const std::string& image);

/// The path of the file beside an image, within an output folder. \throws Error if the image's name leads out
/// of the dataset's folder.
std::string path_beside(const std::string& image, std::string_view extension);

/// The name, which may begin a line. \throws Error for an empty one, '#' or blanks at the ends, line breaks.
const std::string& line_name(const std::string& image, std::string_view format);

/// The name, which may stand as a field of a line. \throws Error for a name with blanks, or that begins a
/// comment.
const std::string& field_name(const std::string& image, std::string_view format);

/// The shortest text of a coordinate. \throws Error naming the image if it is not finite.
std::string coordinate(double value, const std::string& image);

/// The nearest whole number, halves upwards.
double rounded_edge(double edge);

/// The edges of a box in whole pixels.
struct WholeBox {
    long long left = 0, top = 0, right = 0, bottom = 0;  ///< half-open, as Box
};
/// Each edge rounded to the nearest whole number, halves upwards; \param rounded counts boxes that changed.
/// \throws Error naming the image if an edge is not finite.
WholeBox whole_box(const Box& box, const std::string& image, LossCounter& rounded);

/// \throws Error if two files have one name.
void require_unique_files(const OutputFiles& files, std::string_view format);

/// The text of an XML document, indented.
std::string xml_text(const pugi::xml_document& document);

}  // namespace fovea
