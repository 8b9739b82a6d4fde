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

/// The text annotation: name, n, and n lines "x1 y1 w h blur expression illumination invalid occlusion pose",
/// or boxes alone. \param images_folder what names lead from (listed_name()).
/// \throws Error naming the line that is broken.
std::vector<WiderImage> read_wider_text(const std::filesystem::path& path,
                                        const std::filesystem::path& images_folder);

/// The official evaluation's wider_face_val.mat: event_list, file_list, face_bbx_list and, where they are
/// there, the lists of attributes (blur_label_list and so on), which hold the same numbers as the text.
/// \throws Error naming the variable and cell that is not as expected.
std::vector<WiderImage> read_wider_mat(const std::filesystem::path& path);

/// Marks the faces that count at a level of difficulty (wider_easy_val.mat and so on, their gt_list:
/// positions of faces, from 1) with the attribute {level, "yes"}.
///
/// \param level "easy", "medium" or "hard".
/// \throws Error if the file's events and images are not those of `images`, or a position is none of the
/// image.
void mark_wider_level(const std::filesystem::path& path, const std::string& level,
                      std::vector<WiderImage>& images);

/// The word for the number that WIDER FACE's annotation gives an attribute; other texts as they are.
/// \param attribute "blur", "expression", "illumination", "invalid", "occlusion" or "pose".
std::string wider_value(std::string_view attribute, std::string_view text);

}  // namespace fovea
