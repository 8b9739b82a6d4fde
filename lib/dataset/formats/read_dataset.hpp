#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "lib/dataset/dataset.hpp"
#include "lib/dataset/dataset_options.hpp"

namespace fovea {

/// Reads a dataset.
///
/// \param specification "FORMAT:PATH" or a bare path whose format is recognised; "-" or "list:-" reads a list
/// of image paths from standard input. Formats and layouts: datasets.md.
/// \throws UsageError if the specification names no known format or a path that is not there; Error if a list
/// is broken: file, line number, the text and what was expected.
Dataset read_dataset(const std::string& specification, const DatasetOptions& options = {});

/// Makes a dataset of image files in the order given, as read_dataset() does for a list of the same lines,
/// relative to options.root (empty = the current folder).
/// \throws UsageError if a file is not there or is a folder, or if none matches the pattern.
Dataset dataset_of_files(const std::vector<std::string>& files, const DatasetOptions& options = {});

/// A specification in its parts.
struct FormatAndPath {
    std::string format;  ///< one that is read
    std::string path;
    bool is_named = false;  ///< the specification names the format; else it was recognised
};

/// Splits a specification, and recognises the format of a bare path. \throws UsageError as read_dataset()
FormatAndPath format_and_path(const std::string& specification);

// Messages about the names of a dataset or a list of images.
std::string warning_of_names_made_utf8(std::size_t count, const std::string& first);
/// \param first, second the files that have the name; they are shown if they differ.
[[noreturn]] void throw_two_images_named(const std::string& dataset, std::string_view image,
                                         const std::filesystem::path& first,
                                         const std::filesystem::path& second);
[[noreturn]] void throw_none_matches(std::size_t images, const std::string& dataset,
                                     const std::string& pattern);

/// True if matches_pattern() holds for an image's name, or for the name of a frame's video.
bool matches_name(const std::string& pattern, const std::string& image);

}  // namespace fovea
