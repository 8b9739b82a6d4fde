#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/dataset/dataset.hpp"

// The readers behind read_dataset, one per format. `path` is the specification without its "FORMAT:". They
// fill everything but Dataset::name; options.pattern and options.limit are applied by read_dataset. Errors as
// there.
namespace fovea {

/// Images below a folder, no annotation. Where every image lies in a sub-folder of the folder, its name is
/// the subject (LFW, ORL, Yale).
Dataset read_folder_dataset(const std::string& path, const DatasetOptions& options);

/// One single image file.
Dataset read_image_dataset(const std::string& path, const DatasetOptions& options);

/// A text file, or "-" for standard input, with the path of one image per line.
Dataset read_list_dataset(const std::string& path, const DatasetOptions& options);

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

/// The face of one .pts file: its points, their box, the eyes of 68 points. \throws Error naming file and line.
Face read_points_file(const std::filesystem::path& path);

/// True if the folder itself holds a .pts file.
bool is_pts_folder(const std::filesystem::path& folder);

/// The project's own dataset JSON (lib/dataset/convert.hpp).
Dataset read_fovea_dataset(const std::string& path, const DatasetOptions& options);

/// The format of a path whose specification names none, by what is there.
/// \throws UsageError if nothing is there or nothing fits.
std::string recognise_format(const std::filesystem::path& path);

/// True if the folder, or one of its sub-folders, holds MIT+CMU ground truth.
bool is_mit_cmu_folder(const std::filesystem::path& folder);

/// The imglab XML files of a folder, in natural order.
std::vector<std::filesystem::path> imglab_files(const std::filesystem::path& folder);

/// True if the folder holds CSU coordinates (coords*) and a .srt list.
bool is_feret_folder(const std::filesystem::path& folder);

/// The plain files of a folder that `accept` likes by their name, in natural order.
std::vector<std::filesystem::path> files_of(const std::filesystem::path& folder,
                                            const std::function<bool(const std::string&)>& accept);

/// The name of the outermost element of XML text; empty if the text is not XML.
std::string xml_root_name(std::string_view text);

/// The first bytes of a file behind a UTF-8 byte order mark; empty if it cannot be read.
std::string head_of(const std::filesystem::path& file);

}  // namespace fovea
