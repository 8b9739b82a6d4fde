#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "lib/dataset/dataset.hpp"
#include "lib/dataset/dataset_options.hpp"
#include "lib/dataset/readers/path_facts.hpp"

// The parts that the readers of datasets share. Each has a file of its own, whose functions the table of
// formats names (lib/dataset/formats/dataset_formats.cpp).
namespace fovea {

/// Reads a dataset of one format. \param path the specification without its "FORMAT:". Fills everything but
/// Dataset::name; options.pattern and options.limit are applied by read_dataset. Errors as there.
using DatasetReader = Dataset(const std::string& path, const DatasetOptions& options);

/// How sure it is that a path is of one format.
using DatasetRecogniser = Certainty(const PathFacts& facts);

/// Image files named one by one, as a list of them.
Dataset read_named_files(const std::vector<std::string>& files, const DatasetOptions& options);

/// Annotation in a folder that is read as plain images must not go unnoticed; empty if there is none.
std::string note_of_unused_annotation(const std::string& folder);

/// Warns of images of the dataset that are not in its root. \param hint what to do, behind the sentence.
void warn_of_missing_images(const std::vector<std::string>& missing, Dataset& dataset, const char* hint = "");

/// The message says what the folder holds instead.
[[noreturn]] void throw_no_images(const std::string& folder, const PassedOver& passed_over);

}  // namespace fovea
