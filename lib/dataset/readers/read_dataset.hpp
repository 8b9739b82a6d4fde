#pragma once

#include <string>
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

/// The dataset of image files named one by one, in that order; names, pattern and limit are treated as in a
/// list of the same lines, relative to options.root (empty = the current folder).
/// \throws UsageError if a file is not there or is a folder, or if none matches the pattern.
Dataset dataset_of_files(const std::vector<std::string>& files, const DatasetOptions& options = {});

}  // namespace fovea
