#pragma once

#include <filesystem>
#include <string_view>

#include "lib/dataset/dataset.hpp"
#include "lib/dataset/text_file.hpp"

namespace fovea {

/// Reads a list of annotated images in the form of opencv_createsamples and opencv_annotation (info.dat): a
/// line is `path n x y w h x y w h ...` with n boxes; n = 0 is an image without objects. A path may hold
/// blanks: the first number of a line that could be n is n. Blank lines and lines that begin with '#' are
/// left out. An image of several lines has all their boxes; a box that stands twice counts once, with
/// a warning.
///
/// \param root the folder of the images; empty = the folder of the list.
/// \throws UsageError if the file is not there; Error naming the line that cannot be read, for a box without
/// width or height, or if the list names no image.
Dataset read_opencv_list(const std::filesystem::path& file, const std::filesystem::path& root = {});

/// True if a line is one of an OpenCV list, with at least one box and no blank in the path.
bool is_opencv_line(std::string_view line);

}  // namespace fovea
