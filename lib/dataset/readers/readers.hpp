#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "lib/dataset/dataset.hpp"
#include "lib/dataset/readers/read_dataset.hpp"

// The readers behind read_dataset, one per format. `path` is the specification without its "FORMAT:". They
// fill everything but Dataset::name; options.pattern and options.limit are applied by read_dataset. Errors as
// there.
namespace fovea {

/// Images below a folder, no annotation. The sub-folders' names are the subjects if every image lies in one
/// (LFW, ORL, Yale).
Dataset read_folder_dataset(const std::string& path, const DatasetOptions& options);

/// One single image file.
Dataset read_image_dataset(const std::string& path, const DatasetOptions& options);

/// Refuses an archive for a command that needs its images as files. \throws UsageError always.
Dataset read_archive_dataset(const std::string& path, const DatasetOptions& options);

/// A text file, or "-" for standard input, with the path of one image per line.
Dataset read_list_dataset(const std::string& path, const DatasetOptions& options);

/// Images with boxes as opencv_createsamples lists them: FILE[,images=DIR] (lib/dataset/opencv_list.hpp).
Dataset read_opencv_dataset(const std::string& path, const DatasetOptions& options);

/// Image files named one by one, as a list of them.
Dataset read_named_files(const std::vector<std::string>& files, const DatasetOptions& options);

/// MIT+CMU by six points per face (groundtruth.txt), or by boxes where those are missing.
Dataset read_mit_cmu_dataset(const std::string& path, const DatasetOptions& options);

/// MIT+CMU by boxes (facegroundtruth.txt).
Dataset read_mit_cmu_boxes_dataset(const std::string& path, const DatasetOptions& options);

/// dlib imglab XML: one or several files, or a folder with one.
Dataset read_dlib_dataset(const std::string& path, const DatasetOptions& options);

/// FERET: CSU lists and coordinates, or XML signature sets.
Dataset read_feret_dataset(const std::string& path, const DatasetOptions& options);

/// A folder of images with, beside each, a .pts file of its face's points (300-W and others), with the usual
/// header and braces or as bare lines. The box is that of the points; the eyes follow from 68 points.
Dataset read_pts_dataset(const std::string& path, const DatasetOptions& options);

/// AFW and PASCAL faces as the toolbox face-eval distributes them (.mat): FILE[,images=DIR]. Either a struct
/// array `Annotations` with imgname and objects (rows x1 y1 x2 y2, and as sixth number whether the face is
/// ignored), or the first annotation of AFW, a cell array `anno` with a name and a cell of corners in each
/// row.
Dataset read_face_eval_dataset(const std::string& path, const DatasetOptions& options);

/// True for a MATLAB file with one of these variables. \throws as MatFile.
bool is_face_eval_file(const std::filesystem::path& path);

/// FDDB: lists of ellipses (Face::ellipse; box = its bounding box), of one or several folds, or a folder with
/// them: LIST[,LIST...][,images=DIR]. The images need not be there. Attribute "fold" where the file's name
/// tells it, or for the distributed list of all folds in its order.
Dataset read_fddb_dataset(const std::string& path, const DatasetOptions& options);

/// True if the folder holds a list of FDDB's ellipses.
bool is_fddb_folder(const std::filesystem::path& folder);

/// WIDER FACE: wider_face_val_bbx_gt.txt or wider_face_val.mat, or a folder with one of them:
/// LIST[,images=DIR][,mat=DIR]. Faces have the attributes blur, expression, illumination, occlusion, pose,
/// invalid; with mat=DIR also "easy", "medium", "hard" by the lists of the official evaluation.
Dataset read_wider_dataset(const std::string& path, const DatasetOptions& options);

/// PASCAL VOC XML: a folder with Annotations/ (or XML beside images), or files:
/// PATH[,PATH...][,images=DIR][,set=NAME][,class=NAME]. Boxes become half-open and count from 0.
Dataset read_voc_dataset(const std::string& path, const DatasetOptions& options);

/// True if the folder holds VOC XML, itself or in Annotations/.
bool is_voc_folder(const std::filesystem::path& folder);

/// COCO object-detection JSON: FILE[,images=DIR][,category=NAME]. Samples keep their id as the attribute
/// "id".
Dataset read_coco_dataset(const std::string& path, const DatasetOptions& options);

/// YOLO text: a folder with images/ and labels/, or with labels beside images: DIR[,class=NUMBER].
Dataset read_yolo_dataset(const std::string& path, const DatasetOptions& options);

/// True if the folder has images/ and labels/ and a .txt in the latter or a sub-folder of it.
bool is_yolo_folder(const std::filesystem::path& folder);

/// LFW: the images that pairs.txt names, in order of first appearance, and the pairs: DIR[,pairs=FILE].
Dataset read_lfw_dataset(const std::string& path, const DatasetOptions& options);

/// True if the folder itself holds a .pts file.
bool is_pts_folder(const std::filesystem::path& folder);

/// UIUC's cars: PATH[,images=DIR], where PATH is a list of true locations, a folder with one (itself or in
/// its CarData; the single-scale set first), or a folder of training tiles, each with or without a car that
/// fills it (pos-0.pgm, neg-0.pgm). Boxes are 100 x 40, in the multi-scale set of the width w given and 0.4 w
/// high; they may reach beyond the image. Dataset::format is "uiuc", or "uiuc-scale" for the multi-scale set.
Dataset read_uiuc_dataset(const std::string& path, const DatasetOptions& options);

/// The same for the multi-scale set alone.
Dataset read_uiuc_scale_dataset(const std::string& path, const DatasetOptions& options);

/// True if the folder, or CarData in it, holds a list of true locations.
bool is_uiuc_folder(const std::filesystem::path& folder);

/// True for a line of such a list: a number, a colon, and nothing or a parenthesis.
bool begins_with_uiuc_cars(std::string_view line);

/// The project's own dataset JSON (lib/dataset/fovea_json.hpp).
Dataset read_fovea_dataset(const std::string& path, const DatasetOptions& options);

/// A specification in its parts.
struct FormatAndPath {
    std::string format;  ///< one that is read
    std::string path;
    bool is_named = false;  ///< the specification names the format; else it was recognised
};

/// \throws UsageError as read_dataset
FormatAndPath format_and_path(const std::string& specification);

/// Annotation in a folder that is read as plain images must not go unnoticed; empty if there is none.
std::string note_of_unused_annotation(const std::string& folder);

// Messages about the names of a dataset.
std::string warning_of_names_made_utf8(std::size_t count, const std::string& first);
/// \param first, second the files that have the name; they are shown where they differ.
[[noreturn]] void throw_two_images_named(const std::string& dataset, std::string_view image,
                                         const std::filesystem::path& first,
                                         const std::filesystem::path& second);
[[noreturn]] void throw_none_matches(std::size_t images, const std::string& dataset,
                                     const std::string& pattern);
/// The message says what the folder holds instead.
[[noreturn]] void throw_no_images(const std::string& folder, const PassedOver& passed_over);

/// True if a shell's pattern fits an image's name, or that of the video that it is a frame of: see
/// matches_pattern().
bool matches_name(const std::string& pattern, const std::string& image);

/// The format of a path whose specification names none, by what is there.
/// \throws UsageError if nothing is there or nothing fits.
std::string recognise_format(const std::filesystem::path& path);

/// True if the folder, or one of its sub-folders, holds MIT+CMU ground truth.
bool is_mit_cmu_folder(const std::filesystem::path& folder);

/// The imglab XML files of a folder, in natural order.
std::vector<std::filesystem::path> imglab_files(const std::filesystem::path& folder);

/// True if the folder holds CSU coordinates (coords*) and a .srt list.
bool is_feret_folder(const std::filesystem::path& folder);

/// The name of the outermost element of XML text; empty if the text is not XML.
std::string xml_root_name(std::string_view text);

/// The first bytes of a file, as text_as_utf8() has them; empty if it cannot be read.
std::string head_of(const std::filesystem::path& file);

}  // namespace fovea
