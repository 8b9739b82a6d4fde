#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "lib/detect/detector.hpp"

namespace fovea {

/// A kind of detector: what tells its model files, and how they become detectors.
struct DetectorKind {
    /// One of them, for people: "MCT cascade".
    std::string name;
    /// How names of its files end: ".json".
    std::string suffix;
    /// The files as help describes them: "an OpenCV cascade in XML".
    std::string file;
    /// The devices, for documents: "CPU, GPUs".
    std::string runs_on;
    /// Its own score, for documents.
    std::string score;
    /// The traits of its detectors; a model without a calibration has no confidence.
    DetectorTraits traits{};
    /// True for its files. Kinds are asked in the order of the table, and the last takes what no other knows.
    bool (*is_model)(const std::filesystem::path& file) = nullptr;
    /// See load_detector().
    std::unique_ptr<Detector> (*load)(const std::filesystem::path& file,
                                      const DetectionDevice& device) = nullptr;
};

/// All kinds. Documents, `--model` and load_detector() follow from this table: a further kind is a row of it.
std::span<const DetectorKind> detector_kinds();

/// The kind of a model file. \throws Error if the file cannot be read.
const DetectorKind& detector_kind_of(const std::filesystem::path& file);

/// The files of all kinds, for help: "an OpenCV cascade in XML, …".
std::string detector_files_text();

/// The kinds as a table of Markdown.
std::string detector_kinds_table();

}  // namespace fovea
