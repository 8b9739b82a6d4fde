#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "lib/dataset/dataset.hpp"
#include "lib/dataset/dataset_options.hpp"
#include "lib/dataset/readers/path_facts.hpp"

// The parts that the readers of datasets share. Each reader has a file of its own, whose functions are in the
// table of formats (lib/dataset/formats/dataset_formats.cpp).
namespace fovea {

/// Reads a dataset of one format. It fills everything but Dataset::name; read_dataset() applies
/// options.pattern and options.limit. \param path the specification without its "FORMAT:".
/// \throws as read_dataset()
using DatasetReader = Dataset(const std::string& path, const DatasetOptions& options);

/// Says how sure it is that a path is of one format.
using DatasetRecogniser = Certainty(const PathFacts& facts);

/// Makes a dataset of image files, like a list of them.
Dataset read_named_files(const std::vector<std::string>& files, const DatasetOptions& options);

/// A warning if a folder that is read as plain images holds annotation; empty if it holds none.
std::string note_of_unused_annotation(const std::string& folder);

/// Adds a warning of images that are not in the dataset's root. \param hint what to do, behind the sentence.
void warn_of_missing_images(const std::vector<std::string>& missing, Dataset& dataset, const char* hint = "");

/// Throws an error that says what the folder holds instead of images.
[[noreturn]] void throw_no_images(const std::string& folder, const PassedOver& passed_over);

}  // namespace fovea
