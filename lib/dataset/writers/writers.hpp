#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <pugixml.hpp>

#include "lib/core/losses.hpp"
#include "lib/dataset/dataset.hpp"
#include "lib/dataset/image_size_lookup.hpp"
#include "lib/dataset/writers/write_dataset.hpp"
#include "lib/files/output_files.hpp"

// The writers behind render_dataset, one per format, and what they share. Formats, losses and errors as
// there.
namespace fovea {

using Losses = std::vector<std::string>;

WrittenDataset write_voc(const Dataset& dataset, const ImageSizeLookup& size_of, Losses& losses);
WrittenDataset write_yolo(const Dataset& dataset, const ImageSizeLookup& size_of, Losses& losses);
WrittenDataset write_fddb(const Dataset& dataset, const ImageSizeLookup& size_of, Losses& losses);
WrittenDataset write_wider(const Dataset& dataset, const ImageSizeLookup& size_of, Losses& losses);
WrittenDataset write_dlib(const Dataset& dataset, const ImageSizeLookup& size_of, Losses& losses);
WrittenDataset write_pts(const Dataset& dataset, const ImageSizeLookup& size_of, Losses& losses);
WrittenDataset write_mit_cmu_boxes(const Dataset& dataset, const ImageSizeLookup& size_of, Losses& losses);
WrittenDataset write_lfw_pairs(const Dataset& dataset, const ImageSizeLookup& size_of, Losses& losses);
WrittenDataset write_mot(const Dataset& dataset, const ImageSizeLookup& size_of, Losses& losses);
WrittenDataset write_feret(const Dataset& dataset, const ImageSizeLookup& size_of, Losses& losses);

/// An attribute that a format has a place for.
struct FormatAttribute {
    std::string_view name;
    std::vector<std::string_view> values{};  ///< that come back as they are; all of them if empty
};

/// The parts of a dataset that a format has a place for, or its writer speaks of itself;
/// warn_unsupported_fields tells the rest.
struct FormatFields {
    bool unannotated = false;  ///< images that are not annotated
    bool ignored = false;      ///< faces marked ignore
    bool crowds = false;       ///< as such, not as ignored faces
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
};

/// Faces for which the format has no place at all.
using FaceTest = bool (*)(const Face&);
/// The box has no area, which some formats cannot say.
bool has_no_area(const Face& face);
/// Neither counted as a face nor as a false positive: marked ignore, or a crowd.
bool is_ignored(const Face& face);

/// The files with the numbers of the annotated images and their faces. \param written without what was left
/// out.
WrittenDataset counted_dataset(OutputFiles files, const Dataset& written);

/// The dataset without the faces that `is_left_out` names; \param lost counts them. Their parts are not lost
/// again.
Dataset without_faces(Dataset dataset, FaceTest is_left_out, LossCounter& lost);
/// The same without the ignored ones, with a sentence about them.
Dataset without_ignored_faces(const Dataset& dataset, Losses& losses);

/// One sentence for each kind of thing in the dataset that the format does not hold.
void warn_unsupported_fields(const Dataset& dataset, const FormatFields& held, Losses& losses);

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
