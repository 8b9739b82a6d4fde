#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "lib/report/browse/browse_archive.hpp"

namespace fovea::report {

/// Faces, or images, in a script of data.
constexpr std::size_t browse_chunk = 10'000;
/// Images in a script of landmarks.
constexpr std::size_t browse_landmark_images = 256;

/// The files of a page: "data/0003.js".
std::string browse_file(const std::string& folder, std::size_t number, const char* extension);

/// The address of a file as seen from a page in a folder: relative, with all bytes percent-encoded but
/// letters, digits and -_.!~*'() (encodeURIComponent of ECMAScript). Links are not followed. \param page,
/// file may be relative to the current folder.
std::string browse_address(const std::filesystem::path& page, const std::filesystem::path& file);

// The scripts of data: each calls one function of the page with its number and its columns.

/// The columns of faces [number * browse_chunk, ...), which are in the order of the page.
std::string faces_script(const BrowseArchive& archive, std::size_t number);
/// The columns of images. \param root page_root().
std::string images_script(const BrowseArchive& archive, std::size_t number, const std::string& root);
/// The landmarks of images, in whole pixels. \param landmarks for each image those of each detection.
std::string landmarks_script(std::size_t number,
                             const std::vector<std::vector<std::vector<Point>>>& landmarks);

/// The address of the folder to which the names of images are relative: that of the first image whose address
/// ends with its name; empty if there is none.
std::string page_root(const BrowseArchive& archive);

/// The page itself.
std::string browse_page(const BrowseArchive& archive);

}  // namespace fovea::report
