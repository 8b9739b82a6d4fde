#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "lib/core/types.hpp"

namespace fovea {

/// One image of WIDER FACE.
struct WiderImage {
    std::string image;  ///< "0--Parade/0_Parade_marchingband_1_20.jpg"
    std::vector<Face> faces;
};

/// Reads the text annotation: name, n, and n lines "x1 y1 w h blur expression illumination invalid occlusion
/// pose", or boxes alone. \param images_folder names are relative to it (listed_name()). \throws Error naming
/// the broken line.
std::vector<WiderImage> read_wider_text(const std::filesystem::path& path,
                                        const std::filesystem::path& images_folder);

/// Reads the official evaluation's wider_face_val.mat: event_list, file_list, face_bbx_list and, if they are
/// there, the lists of attributes (blur_label_list and so on), with the text annotation's numbers.
/// \throws Error naming the variable and cell that is not as expected.
std::vector<WiderImage> read_wider_mat(const std::filesystem::path& path);

/// Gives faces that count at a level of difficulty the attribute {level, "yes"}. The file (wider_easy_val.mat
/// and so on) has a gt_list of their positions, from 1.
///
/// \param level "easy", "medium" or "hard".
/// \throws Error if the file has other events and images than `images`, or an image lacks a position.
void mark_wider_level(const std::filesystem::path& path, const std::string& level,
                      std::vector<WiderImage>& images);

/// The word for an attribute's number in WIDER FACE's annotation; other texts stay.
/// \param attribute "blur", "expression", "illumination", "invalid", "occlusion" or "pose".
std::string wider_value(std::string_view attribute, std::string_view text);

}  // namespace fovea
